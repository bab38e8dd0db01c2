/** Tests. */
@NullMarked
package dev.fabricoperator.operator.controller.certificate;

import org.jspecify.annotations.NullMarked;
