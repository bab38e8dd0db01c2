/** Jobs of Kubeflow's MPI Operator. */
@NullMarked
package dev.fabricoperator.e2e.job.mpijob;

import org.jspecify.annotations.NullMarked;
