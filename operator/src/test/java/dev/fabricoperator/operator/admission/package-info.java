/** Tests. */
@NullMarked
package dev.fabricoperator.operator.admission;

import org.jspecify.annotations.NullMarked;
