/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.system.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The plugin by which opensm tells a sweeper that something has changed. */
public final class OpenSmPlugin {
    private OpenSmPlugin() {}

    /** Where the sweeper of a {@link SimulatedSubnet} listens. */
    public static Path socket(Path directory) {
        return directory.resolve("opensm.sock");
    }

    /**
     * Builds it.
     *
     * @param directory of the {@link SimulatedSubnet}
     * @return options of opensm that load it
     */
    public static String[] options(Path directory) {
        Path source = ProjectRoot.find().resolve("sweeper");
        new Command(List.of("make"), Map.of()).run("-s", "-C", source.toString(), "TARGET=" + directory);
        try {
            Path options = Files.writeString(directory.resolve("plugin.conf"), """
                    event_plugin_name fabricoperator
                    event_plugin_options %s
                    """.formatted(socket(directory)));
            return new String[] {"-F", options.toString()};
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write its options", e);
        }
    }
}
