/** Benchmarks with JMH, and what scripts under {@code e2e/bench} run. */
@NullMarked
package dev.fabricoperator.e2e.bench;

import org.jspecify.annotations.NullMarked;
