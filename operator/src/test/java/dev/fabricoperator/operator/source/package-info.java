/** Tests of topology sources. */
@NullMarked
package dev.fabricoperator.operator.source;

import org.jspecify.annotations.NullMarked;
