/** Tests. */
@NullMarked
package dev.fabricoperator.operator.server.admission;

import org.jspecify.annotations.NullMarked;
