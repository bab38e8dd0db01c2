/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.peers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** A contender seen by the comparison: a process that waits until it is its turn, and what it has reported. */
final class ContenderProcess implements AutoCloseable {
    private static final long TURN_NANOS = 200_000_000L;
    private static final long WARM_UP_NANOS = 1_000_000_000L;
    private static final long MOST_WARM_UP_NANOS = 60_000_000_000L;
    private static final int MOST_RUNS_OF_TURN = 20;

    private final String name;
    private final List<Run> runs = new ArrayList<>();
    private final @Nullable Process process;
    private final @Nullable BufferedReader answers;
    private final @Nullable PrintStream orders;
    private String remark = "";

    ContenderProcess(String name, List<String> command) throws IOException {
        this.name = name;
        Process started = null;
        try {
            started =
                    new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
        } catch (IOException e) {
            remark = "not installed here";
        }
        process = started;
        answers = started == null ? null : started.inputReader(StandardCharsets.US_ASCII);
        orders = started == null ? null : new PrintStream(started.getOutputStream(), true, StandardCharsets.US_ASCII);
        String ready = answers == null ? null : answers.readLine();
        if (ready != null && ready.startsWith("ready ")) {
            remark = ready.substring("ready ".length());
        } else if (remark.isEmpty()) {
            remark = "not installed here";
        }
    }

    /** Runs that do not count, for what a compiler or a cache learns: for some time, and as many as they need. */
    void warmUp(int leastRuns) throws IOException {
        long start = System.nanoTime();
        for (long spent = 0;
                isPresent() && (spent < WARM_UP_NANOS || runs.size() < leastRuns && spent < MOST_WARM_UP_NANOS);
                spent = System.nanoTime() - start) {
            run();
        }
        runs.clear();
    }

    /** Runs until the time of a turn is over, at least one. */
    void turn() throws IOException {
        long end = System.nanoTime() + TURN_NANOS;
        for (int i = 0; isPresent() && (i == 0 || i < MOST_RUNS_OF_TURN && System.nanoTime() < end); i++) {
            run();
        }
    }

    private void run() throws IOException {
        if (orders == null || answers == null) {
            return;
        }
        orders.println("run");
        String answer = answers.readLine();
        if (answer == null) {
            throw new IOException(name + " died in the middle of the comparison");
        }
        runs.add(Run.parse(answer));
    }

    boolean isPresent() {
        return answers != null && !remark.equals("not installed here");
    }

    /** Whether one run takes as long as a turn. */
    boolean isSlow() {
        return !runs.isEmpty() && runs.getLast().nanos() > TURN_NANOS;
    }

    String name() {
        return name;
    }

    /** Name and version that it gave itself, or why it does not take part. */
    String remark() {
        return remark;
    }

    int runs() {
        return runs.size();
    }

    Run last() {
        return runs.getLast();
    }

    /** Of all runs, in milliseconds. */
    double median(ToLongFunction<Run> what) {
        long[] values = runs.stream().mapToLong(what).toArray();
        Arrays.sort(values);
        return values[values.length / 2] / 1e6;
    }

    @Override
    public void close() {
        if (orders != null && process != null) {
            orders.close();
            process.destroy();
        }
    }
}
