/**
 * What a topology source says: switches, adapters and the cables between them. Sources translate what they were given
 * and never compute; whatever is derived from cables stands in {@code topology} and the packages behind it.
 */
@NullMarked
package dev.fabricoperator.fabric.cabling;

import org.jspecify.annotations.NullMarked;
