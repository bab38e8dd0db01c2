/** Tests. */
@NullMarked
package dev.fabricoperator.operator.certificate;

import org.jspecify.annotations.NullMarked;
