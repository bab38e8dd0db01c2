/** The operator as one process, for tests and benchmarks that need nothing else of the system. */
@NullMarked
package dev.fabricoperator.e2e.operator;

import org.jspecify.annotations.NullMarked;
