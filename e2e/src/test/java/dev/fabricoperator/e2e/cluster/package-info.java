/** Tests of the harness itself. */
@NullMarked
package dev.fabricoperator.e2e.cluster;

import org.jspecify.annotations.NullMarked;
