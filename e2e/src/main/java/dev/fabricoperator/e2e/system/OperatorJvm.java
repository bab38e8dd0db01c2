/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.system;

import dev.fabricoperator.e2e.cluster.ProjectRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipFile;

/**
 * The operator and the JVM that runs it on this machine: those of the image, with its AOT caches, where the image was made of what the build has made last; else the build's, without a
 * cache, which takes twice as long to start.
 */
public final class OperatorJvm {
    private static final String ARCHIVE = "operator.jar";
    /** What Quarkus writes anew at each build, in another order and under other names; it follows from the rest. */
    private static final String GENERATED = "io/quarkus/";

    /**
     * @param java the JVM's program
     * @param directory with the archives, and with caches where it is the image's
     */
    private record Installation(Path java, Path directory) {}

    private OperatorJvm() {}

    /** The whole command. */
    public static List<String> command(String role, List<String> jvmArguments) {
        List<String> arguments = new ArrayList<>(jvmArguments);
        cache(role).ifPresent(cache -> arguments.add("-XX:AOTCache=" + cache));
        return commandWithoutCache(role, arguments);
    }

    /** The same where a cache is not wanted, or the arguments name one. */
    public static List<String> commandWithoutCache(String role, List<String> jvmArguments) {
        Installation installation = Found.INSTALLATION;
        Path options = ProjectRoot.find().resolve("images/operator/src/main/image/app");
        List<String> command = new ArrayList<>(List.of(installation.java().toString()));
        // As its Deployment has it.
        command.add("@" + options.resolve(role + ".options"));
        command.add("@" + options.resolve("operator.options"));
        command.addAll(jvmArguments);
        command.addAll(List.of("-jar", installation.directory().resolve(ARCHIVE).toString()));
        return command;
    }

    /** The AOT cache of a role, if there is one for the archives that are started. */
    public static Optional<Path> cache(String role) {
        return Optional.of(Found.INSTALLATION.directory().resolve(role + ".aot"))
                .filter(Files::exists);
    }

    /** Of this process: nobody builds the operator while it is tested. */
    private static final class Found {
        static final Installation INSTALLATION = find();

        private static Installation find() {
            Path root = ProjectRoot.find();
            Path built = root.resolve("operator/target/quarkus-app");
            if (!Files.exists(built.resolve(ARCHIVE))) {
                throw new IllegalStateException(
                        "no " + built.resolve(ARCHIVE) + ": run ./mvnw -pl operator -am package");
            }
            Path image = root.resolve("target/images/fabric-operator");
            Path copied = image.resolve("layer/app");
            Path java = image.resolve("root/opt/java/bin/java");
            try {
                if (Files.isExecutable(java)
                        && Files.exists(copied.resolve(ARCHIVE))
                        && contents(copied).equals(contents(built))) {
                    return new Installation(java, copied);
                }
            } catch (IOException e) {
                throw new UncheckedIOException("cannot compare " + copied + " with " + built, e);
            }
            return new Installation(Path.of(System.getProperty("java.home"), "bin", "java"), built);
        }

        /** Checksums of the entries of the operator's own archive, and of all its libraries'. */
        private static Map<String, Long> contents(Path directory) throws IOException {
            Map<String, Long> checksums = new HashMap<>();
            List<Path> archives = new ArrayList<>(List.of(directory.resolve(ARCHIVE)));
            try (var libraries = Files.newDirectoryStream(directory.resolve("lib"), "*.jar")) {
                libraries.forEach(archives::add);
            }
            for (Path archive : archives) {
                try (ZipFile file = new ZipFile(archive.toFile())) {
                    file.stream()
                            .filter(entry -> !entry.isDirectory()
                                    && !(archive.endsWith(ARCHIVE)
                                            && entry.getName().startsWith(GENERATED)))
                            .forEach(entry -> checksums.put(
                                    directory.relativize(archive) + " " + entry.getName(), entry.getCrc()));
                }
            }
            return checksums;
        }
    }
}
