/** Tests of when passes are made. */
@NullMarked
package dev.fabricoperator.operator.reconcile;

import org.jspecify.annotations.NullMarked;
