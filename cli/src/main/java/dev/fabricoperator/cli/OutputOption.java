/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli;

import dev.fabricoperator.cli.output.OutputFormat;
import picocli.CommandLine.Option;

/** {@code -o}, the same for every command that has it. */
final class OutputOption {
    @Option(
            names = {"-o", "--output"},
            defaultValue = "table",
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES}; default table.")
    OutputFormat format = OutputFormat.table;
}
