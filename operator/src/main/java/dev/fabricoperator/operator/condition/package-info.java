/** Conditions and Events: every type and reason, one factory. */
@NullMarked
package dev.fabricoperator.operator.condition;

import org.jspecify.annotations.NullMarked;
