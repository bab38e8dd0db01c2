/** One immutable answer per fabric: built once, then only read. */
@NullMarked
package dev.fabricoperator.fabric.model;

import org.jspecify.annotations.NullMarked;
