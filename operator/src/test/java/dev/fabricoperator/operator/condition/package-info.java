/** Tests of conditions. */
@NullMarked
package dev.fabricoperator.operator.condition;

import org.jspecify.annotations.NullMarked;
