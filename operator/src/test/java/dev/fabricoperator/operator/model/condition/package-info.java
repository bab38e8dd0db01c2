/** Tests of conditions. */
@NullMarked
package dev.fabricoperator.operator.model.condition;

import org.jspecify.annotations.NullMarked;
