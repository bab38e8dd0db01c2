/** The models that are served: built from the cluster's objects, one generation per Fabric. */
@NullMarked
package dev.fabricoperator.operator.server.served;

import org.jspecify.annotations.NullMarked;
