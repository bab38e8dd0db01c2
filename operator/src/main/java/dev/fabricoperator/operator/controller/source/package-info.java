/** Topology sources: from uploads and files to FabricSwitch objects. */
@NullMarked
package dev.fabricoperator.operator.controller.source;

import org.jspecify.annotations.NullMarked;
