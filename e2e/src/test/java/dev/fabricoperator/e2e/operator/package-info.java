/** The operator against a real API server: what it does, what it survives, and what it may. */
@NullMarked
package dev.fabricoperator.e2e.operator;

import org.jspecify.annotations.NullMarked;
