/** Coordinates of every kind of fabric. */
@NullMarked
package dev.fabricoperator.fabric.coordinate;

import org.jspecify.annotations.NullMarked;
