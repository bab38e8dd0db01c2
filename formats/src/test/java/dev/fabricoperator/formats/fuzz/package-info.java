/** Damaged and hostile texts for every reader. */
@NullMarked
package dev.fabricoperator.formats.fuzz;

import org.jspecify.annotations.NullMarked;
