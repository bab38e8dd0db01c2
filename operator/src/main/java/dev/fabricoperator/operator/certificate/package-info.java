/** The operator's own authority, the certificates that it signs, and how a server comes by its one. */
@NullMarked
package dev.fabricoperator.operator.certificate;

import org.jspecify.annotations.NullMarked;
