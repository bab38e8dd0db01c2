/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.cli.KubectlFabric;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * {@code kubectl-fabric} as the build made it.
 *
 * @param directory for what it prints
 */
public record CommandLineProgram(Path directory) {
    private static final Path PROGRAM = ProjectRoot.find().resolve("cli/target/kubectl-fabric");
    private static final int LIMIT_SECONDS = 240;

    public record Result(int exitCode, String out, String err) {}

    /** Words that make a question one to a cluster. */
    public static List<String> onCluster(Cluster cluster, List<String> question) {
        List<String> words = new ArrayList<>(question);
        words.addAll(List.of("--kubeconfig", cluster.kubeconfig().toString()));
        return words;
    }

    /** What the program's code answers in this process: for many questions, since each start of the program takes most of a second of a processor. */
    public static Result inProcess(List<String> words) {
        KubectlFabric.Outcome outcome = KubectlFabric.run(words.toArray(String[]::new));
        return new Result(outcome.exitCode(), new String(outcome.out(), StandardCharsets.UTF_8), outcome.err());
    }

    /** Starts the program. */
    public Result run(List<String> words) throws IOException {
        assertThat(PROGRAM).as("built by ./mvnw -pl cli -am package").isExecutable();
        List<String> command = new ArrayList<>(List.of(PROGRAM.toString()));
        command.addAll(words);
        Path out = Files.createTempFile(directory, "out", "");
        Path err = Files.createTempFile(directory, "err", "");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("does not end: " + command);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    }
}
