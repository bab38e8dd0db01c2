/** Tests. */
@NullMarked
package dev.fabricoperator.operator.server.served;

import org.jspecify.annotations.NullMarked;
