/** Fabrics in the words of other systems. Nothing here reads a source. */
@NullMarked
package dev.fabricoperator.formats.export;

import org.jspecify.annotations.NullMarked;
