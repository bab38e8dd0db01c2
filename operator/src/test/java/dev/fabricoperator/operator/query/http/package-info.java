/** Tests. */
@NullMarked
package dev.fabricoperator.operator.query.http;

import org.jspecify.annotations.NullMarked;
