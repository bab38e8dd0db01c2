/** Tests. */
@NullMarked
package dev.fabricoperator.operator.server.query.served;

import org.jspecify.annotations.NullMarked;
