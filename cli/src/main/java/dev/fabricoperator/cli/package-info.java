/** {@code kubectl-fabric}: one class per command. Commands translate; the answers come from the domain. */
@NullMarked
package dev.fabricoperator.cli;

import org.jspecify.annotations.NullMarked;
