/** Cables merged from what their ends say. */
@NullMarked
package dev.fabricoperator.fabric.topology;

import org.jspecify.annotations.NullMarked;
