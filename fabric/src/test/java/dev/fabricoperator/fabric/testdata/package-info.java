/** Recorded and generated fabrics that several tests share. */
@NullMarked
package dev.fabricoperator.fabric.testdata;

import org.jspecify.annotations.NullMarked;
