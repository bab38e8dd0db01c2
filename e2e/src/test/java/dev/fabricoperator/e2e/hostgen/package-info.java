/** Tests of the host generator. */
@NullMarked
package dev.fabricoperator.e2e.hostgen;

import org.jspecify.annotations.NullMarked;
