/** A plain table of cables, for every fabric that no tool describes. */
@NullMarked
package dev.fabricoperator.fabric.cabling.cables;

import org.jspecify.annotations.NullMarked;
