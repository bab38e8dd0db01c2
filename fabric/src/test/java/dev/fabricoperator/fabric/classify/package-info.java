/** Kinds, levels and groups. */
@NullMarked
package dev.fabricoperator.fabric.classify;

import org.jspecify.annotations.NullMarked;
