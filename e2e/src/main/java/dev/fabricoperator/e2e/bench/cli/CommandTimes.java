/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** How long commands take as processes, all of them in turn in each round: what the machine does beside meets all alike. */
final class CommandTimes {
    private static final String BASH = """
            TIMEFORMAT="%R %U %S"; time "$@" > /dev/null""";

    private final Path program;
    private final Map<List<String>, List<Run>> runs = new LinkedHashMap<>();

    CommandTimes(Path program) {
        this.program = program;
    }

    private record Run(double seconds, double cpuSeconds) {}

    /** Takes every command once, and does not count it: the first run of a command keeps what it has loaded for later ones. */
    void warmUp(List<List<String>> commands) throws IOException, InterruptedException {
        for (List<String> command : commands) {
            run(command);
        }
    }

    void round(List<List<String>> commands) throws IOException, InterruptedException {
        for (List<String> command : commands) {
            runs.computeIfAbsent(command, c -> new ArrayList<>()).add(run(command));
        }
    }

    double seconds(List<String> command) {
        return median(command, Run::seconds);
    }

    double cpuSeconds(List<String> command) {
        return median(command, Run::cpuSeconds);
    }

    private double median(List<String> command, ToDoubleFunction<Run> what) {
        double[] all = Objects.requireNonNull(runs.get(command)).stream()
                .mapToDouble(what)
                .sorted()
                .toArray();
        return all[all.length / 2];
    }

    private Run run(List<String> words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", "-c", BASH, "bash", program.toString()));
        command.addAll(words);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(words + " failed: " + printed);
        }
        double[] times = Arrays.stream(printed.lines().toList().getLast().split(" ", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
        return new Run(times[0], times[1] + times[2]);
    }
}
