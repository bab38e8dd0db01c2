/** Places of devices and switches in a fabric, per view. */
@NullMarked
package dev.fabricoperator.fabric.coordinate;

import org.jspecify.annotations.NullMarked;
