/** Tests. */
@NullMarked
package dev.fabricoperator.operator.server.auth;

import org.jspecify.annotations.NullMarked;
