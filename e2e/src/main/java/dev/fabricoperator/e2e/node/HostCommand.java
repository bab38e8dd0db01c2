/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Short commands of the machine's administrator: {@code ip}, {@code ctr}, {@code tar}. */
public final class HostCommand {
    /** Debian keeps many of them in sbin, which is not in everybody's PATH. */
    static final String PATH = System.getenv("PATH") + ":/usr/sbin:/sbin";

    record Result(int code, String output) {}

    private HostCommand() {}

    /**
     * Runs it to its end.
     *
     * @return what it printed, errors included
     * @throws IllegalStateException with that, when it fails
     */
    public static String run(List<String> words) {
        Result result = tryRun(words);
        if (result.code() != 0) {
            throw new IllegalStateException(
                    String.join(" ", words) + " ended with code " + result.code() + ": " + result.output());
        }
        return result.output();
    }

    public static String run(String... words) {
        return run(List.of(words));
    }

    static Result tryRun(List<String> words) {
        try {
            ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
            builder.environment().put("PATH", PATH);
            Process process = builder.start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output);
        } catch (IOException e) {
            throw new UncheckedIOException(words.getFirst() + " cannot be run: scripts/setup.sh installs it", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + words.getFirst(), e);
        }
    }
}
