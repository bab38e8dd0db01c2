/** The wiring of one fabric, immutable and densely indexed. What is concluded from it stands in other packages. */
@NullMarked
package dev.fabricoperator.fabric.topology;

import org.jspecify.annotations.NullMarked;
