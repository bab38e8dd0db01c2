/** What the operator makes of a pod that asks for a launch, before the pod exists and when its node is known. */
@NullMarked
package dev.fabricoperator.operator.server.admission;

import org.jspecify.annotations.NullMarked;
