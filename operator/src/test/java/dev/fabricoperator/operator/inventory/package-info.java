/** Tests of what is kept. */
@NullMarked
package dev.fabricoperator.operator.inventory;

import org.jspecify.annotations.NullMarked;
