/** Relative communication cost between devices. */
@NullMarked
package dev.fabricoperator.fabric.cost;

import org.jspecify.annotations.NullMarked;
