/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The directory that holds the programs of the control plane and kubectl. */
public record Assets(Path directory) {
    private static final List<String> PROGRAMS =
            List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl");

    /**
     * Looks in this order: system property {@code fabric.e2e.assets}, environment FABRIC_OPERATOR_ASSETS and KUBEBUILDER_ASSETS, what
     * {@code make setup} wrote to {@code target/setup.env}. A directory that lacks a program is passed over.
     *
     * @throws IllegalStateException naming the places looked at, when none holds every program
     */
    public static Assets find() {
        List<String> tried = new ArrayList<>();
        return Stream.of(
                        Optional.ofNullable(System.getProperty("fabric.e2e.assets")),
                        Optional.ofNullable(System.getenv("FABRIC_OPERATOR_ASSETS")),
                        Optional.ofNullable(System.getenv("KUBEBUILDER_ASSETS")),
                        writtenBySetup("FABRIC_OPERATOR_ASSETS"))
                .flatMap(Optional::stream)
                .map(Path::of)
                .filter(directory -> isComplete(directory, tried))
                .findFirst()
                .map(Assets::new)
                .orElseThrow(() -> new IllegalStateException("no programs of a control plane found; run \"make setup\""
                        + (tried.isEmpty() ? "" : " (" + String.join("; ", tried) + ")")));
    }

    public Path program(Component component) {
        return directory.resolve(component.program());
    }

    public Path kubectl() {
        return directory.resolve("kubectl");
    }

    private static boolean isComplete(Path directory, List<String> tried) {
        List<String> missing = PROGRAMS.stream()
                .filter(program -> !Files.isExecutable(directory.resolve(program)))
                .toList();
        if (!missing.isEmpty()) {
            tried.add(directory + " lacks " + String.join(", ", missing));
        }
        return missing.isEmpty();
    }

    /** A variable of {@code target/setup.env}. */
    public static Optional<String> writtenBySetup(String variable) {
        Path file = ProjectRoot.find().resolve("target/setup.env");
        if (!Files.isReadable(file)) {
            return Optional.empty();
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(line -> afterPrefix(line, "export " + variable + "="))
                    .filter(Objects::nonNull)
                    .map(String::strip)
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    private static @Nullable String afterPrefix(String line, String prefix) {
        return line.startsWith(prefix) ? line.substring(prefix.length()) : null;
    }
}
