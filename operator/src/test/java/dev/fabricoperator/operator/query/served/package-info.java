/** Tests. */
@NullMarked
package dev.fabricoperator.operator.query.served;

import org.jspecify.annotations.NullMarked;
