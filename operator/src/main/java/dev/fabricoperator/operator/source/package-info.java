/** Topology sources: from uploads and files to FabricSwitch objects. */
@NullMarked
package dev.fabricoperator.operator.source;

import org.jspecify.annotations.NullMarked;
