/** Tests of the nodes without kubelet. */
@NullMarked
package dev.fabricoperator.e2e.cluster.standin;

import org.jspecify.annotations.NullMarked;
