/** The operator's own authority, the certificates that it signs, and whoever must be told of them. */
@NullMarked
package dev.fabricoperator.operator.controller.certificate;

import org.jspecify.annotations.NullMarked;
