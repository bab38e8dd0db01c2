/** Fabrics in the words of other systems. Nothing here reads a source. */
@NullMarked
package dev.fabricoperator.fabric.export;

import org.jspecify.annotations.NullMarked;
