/** What direct launch tells a job of the fabrics that its nodes are in. */
@NullMarked
package dev.fabricoperator.e2e.job.fabric;

import org.jspecify.annotations.NullMarked;
