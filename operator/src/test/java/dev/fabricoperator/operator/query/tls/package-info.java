/** Tests. */
@NullMarked
package dev.fabricoperator.operator.query.tls;

import org.jspecify.annotations.NullMarked;
