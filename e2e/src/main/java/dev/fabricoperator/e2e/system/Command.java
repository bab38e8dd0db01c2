/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.system;

import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A program of the command line, as a user calls it, with its environment. */
public record Command(List<String> words, Map<String, String> environment) {
    public Command {
        words = List.copyOf(words);
        environment = Map.copyOf(environment);
    }

    /** The cluster's own kubectl, as its administrator. */
    public static Command kubectl(Cluster cluster) {
        return new Command(
                List.of(
                        cluster.kubectl().toString(),
                        "--kubeconfig",
                        cluster.kubeconfig().toString()),
                Map.of());
    }

    /** The plugin that the build made, with the administrator's rights. */
    public static Command kubectlFabric(Cluster cluster) {
        return new Command(
                List.of(ProjectRoot.find().resolve("cli/target/kubectl-fabric").toString()),
                Map.of("KUBECONFIG", cluster.kubeconfig().toString(), "JAVA_HOME", System.getProperty("java.home")));
    }

    /**
     * Calls it with more arguments.
     *
     * @return what it wrote to standard output
     * @throws CommandFailedException with what it wrote to standard error, when it does not end with 0
     */
    public String run(String... arguments) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of(arguments));
        Path errors = null;
        try {
            errors = Files.createTempFile("fabric-operator-command-", ".err");
            ProcessBuilder builder = new ProcessBuilder(all).redirectError(errors.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.outputWriter().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            if (code != 0) {
                throw new CommandFailedException(code, String.join(" ", all), output + Files.readString(errors));
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + String.join(" ", all), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + String.join(" ", all), e);
        } finally {
            if (errors != null) {
                errors.toFile().delete();
            }
        }
    }
}
