/** Changes between two cablings. */
@NullMarked
package dev.fabricoperator.fabric.cabling;

import org.jspecify.annotations.NullMarked;
