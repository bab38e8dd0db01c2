/** The built {@code kubectl-fabric} against a real API server, and as a plugin of the real kubectl. */
@NullMarked
package dev.fabricoperator.e2e.cli;

import org.jspecify.annotations.NullMarked;
