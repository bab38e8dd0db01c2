/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A question about the fabrics of files or of a cluster. */
abstract class FabricCommand implements Callable<Integer> {
    @Mixin
    FabricOptions fabric = new FabricOptions();

    @Mixin
    OutputOption output = new OutputOption();
}
