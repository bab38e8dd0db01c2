/** Tests of topology sources. */
@NullMarked
package dev.fabricoperator.operator.controller.source;

import org.jspecify.annotations.NullMarked;
