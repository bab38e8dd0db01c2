/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.launcher;

import dev.fabricoperator.protocol.job.RunRequest;
import java.util.List;

/** Collects what mpirun asks for, from {@code run} to {@code run-end}. */
final class RunLines {
    /** The mesh hands it on as one message. */
    private static final int MOST_CHARACTERS = 1 << 20;

    private final RunRequest request;
    private final StringBuilder lines = new StringBuilder();

    /** @throws IllegalArgumentException for words that are no request */
    RunLines(List<String> words) {
        if (words.size() < 4) {
            throw new IllegalArgumentException("'run' with " + (words.size() - 1) + " words");
        }
        int ranks = Integer.parseInt(words.get(1));
        int ranksPerPod = Integer.parseInt(words.get(2));
        if (ranks < 0 || ranksPerPod < 0) {
            throw new IllegalArgumentException("a run of " + ranks + " ranks, " + ranksPerPod + " in each pod");
        }
        request = new RunRequest(
                ranks, ranksPerPod, LineFormat.split(words.get(3), ',').contains("oversubscribe"));
    }

    /** @return whether it was the last */
    boolean add(String line) {
        if (line.equals("run-end")) {
            return true;
        }
        lines.append(line).append('\n');
        if (lines.length() > MOST_CHARACTERS) {
            throw new IllegalArgumentException("a run whose arguments and variables have more than " + MOST_CHARACTERS
                    + " characters; give it fewer variables");
        }
        return false;
    }

    RunRequest request() {
        return request;
    }

    String lines() {
        return lines.toString();
    }
}
