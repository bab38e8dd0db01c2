/** Damaged and hostile texts for every reader. */
@NullMarked
package dev.fabricoperator.sources.fuzz;

import org.jspecify.annotations.NullMarked;
