/** Tests. */
@NullMarked
package dev.fabricoperator.operator.query.answer;

import org.jspecify.annotations.NullMarked;
