/** The whole of fabric-operator on a cluster: its manifests, agents and operator, as the demo and the end-to-end tests run it. */
@NullMarked
package dev.fabricoperator.e2e.system;

import org.jspecify.annotations.NullMarked;
