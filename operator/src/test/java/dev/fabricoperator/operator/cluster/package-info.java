/** Tests of what is kept. */
@NullMarked
package dev.fabricoperator.operator.cluster;

import org.jspecify.annotations.NullMarked;
