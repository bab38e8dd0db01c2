/** Inputs and outputs of the whole model, as files. */
@NullMarked
package dev.fabricoperator.operator.golden;

import org.jspecify.annotations.NullMarked;
