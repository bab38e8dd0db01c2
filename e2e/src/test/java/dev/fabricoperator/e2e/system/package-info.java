/** The whole of fabric-operator against a real control plane. */
@NullMarked
package dev.fabricoperator.e2e.system;

import org.jspecify.annotations.NullMarked;
