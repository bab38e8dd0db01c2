/** Tests. */
@NullMarked
package dev.fabricoperator.operator.server.query.answer;

import org.jspecify.annotations.NullMarked;
