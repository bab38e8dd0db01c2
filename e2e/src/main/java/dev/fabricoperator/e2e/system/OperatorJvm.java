/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.system;

import dev.fabricoperator.e2e.cluster.ProjectRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The operator as the build has made it, and the JVM that runs it on this machine: with an AOT cache where {@code OperatorTraining} has made one for exactly these archives, else without.
 */
public final class OperatorJvm {
    private OperatorJvm() {}

    /** What the build made. */
    public static Path jar() {
        Path jar = ProjectRoot.find().resolve("operator/target/quarkus-app/operator.jar");
        if (!Files.exists(jar)) {
            throw new IllegalStateException("no " + jar + ": run ./mvnw -pl operator -am package");
        }
        return jar;
    }

    /** The whole command. */
    public static List<String> command(String role, List<String> jvmArguments) {
        List<String> arguments = new ArrayList<>(jvmArguments);
        Path cache = cache(role);
        if (Files.exists(cache)) {
            arguments.add("-XX:AOTCache=" + cache);
        }
        return commandWithoutCache(role, arguments);
    }

    /** The same where a cache is not wanted, or the arguments name one. */
    public static List<String> commandWithoutCache(String role, List<String> jvmArguments) {
        Path options = ProjectRoot.find().resolve("images/operator/src/main/image/app");
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        // As its Deployment has it.
        command.add("@" + options.resolve(role + ".options"));
        command.add("@" + options.resolve("operator.options"));
        command.addAll(jvmArguments);
        command.addAll(List.of("-jar", jar().toString()));
        return command;
    }

    /** Where the cache of a role is, if there is one. */
    public static Path cache(String role) {
        return caches().resolve(role + ".aot");
    }

    /**
     * The directory of the caches of this build and this JVM, if they were made. The JVM itself compares size and time of the first archive alone, not of those that this one's manifest names.
     */
    public static Path caches() {
        return ProjectRoot.find().resolve("target/operator-aot").resolve(Build.KEY);
    }

    /** Of this process: nobody builds the operator while it is tested. */
    private static final class Build {
        static final String KEY = key();

        private static String key() {
            Path directory = Objects.requireNonNull(jar().getParent());
            try (Stream<Path> files = Files.walk(directory)) {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                List<Path> archives = files.filter(file -> file.toString().endsWith(".jar"))
                        .sorted()
                        .toList();
                for (Path archive : archives) {
                    String text = directory.relativize(archive) + " " + Files.size(archive) + " "
                            + Files.getLastModifiedTime(archive).toMillis() + "\n";
                    digest.update(text.getBytes(StandardCharsets.UTF_8));
                }
                String jvm = System.getProperty("java.home") + " " + System.getProperty("java.vm.version");
                digest.update(jvm.getBytes(StandardCharsets.UTF_8));
                return HexFormat.of().formatHex(digest.digest(), 0, 8);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + directory, e);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
