/** Tests. */
@NullMarked
package dev.fabricoperator.operator.server.query.resource;

import org.jspecify.annotations.NullMarked;
