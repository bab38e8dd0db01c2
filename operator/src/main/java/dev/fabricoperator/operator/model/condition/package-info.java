/** Conditions and Events: every type and reason, one factory. */
@NullMarked
package dev.fabricoperator.operator.model.condition;

import org.jspecify.annotations.NullMarked;
