/** Proofs of direct launch on real nodes. */
@org.jspecify.annotations.NullMarked
package dev.fabricoperator.e2e.job.direct;
