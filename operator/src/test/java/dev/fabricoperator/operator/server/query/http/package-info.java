/** Tests. */
@NullMarked
package dev.fabricoperator.operator.server.query.http;

import org.jspecify.annotations.NullMarked;
