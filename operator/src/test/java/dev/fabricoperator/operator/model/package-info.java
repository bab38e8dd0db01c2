/** Tests of the model's pieces. */
@NullMarked
package dev.fabricoperator.operator.model;

import org.jspecify.annotations.NullMarked;
