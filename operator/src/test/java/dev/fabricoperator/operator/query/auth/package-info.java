/** Tests. */
@NullMarked
package dev.fabricoperator.operator.query.auth;

import org.jspecify.annotations.NullMarked;
