/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.peers;

/**
 * One run of a contender over a dump, as it reports it in a line: these numbers in this order.
 *
 * @param parseNanos from the file to the library's own form of it
 * @param searchNanos everything after that
 * @param cpuNanos processor time of both, in all threads that work on it
 * @param devices device ends with a cable
 * @param hops sum of hops over all ordered pairs of device ends: everybody must find the same
 */
record Run(long parseNanos, long searchNanos, long cpuNanos, long devices, long hops) {
    static Run parse(String line) {
        String[] words = line.split(" ");
        if (words.length != 5) {
            throw new IllegalArgumentException("not the report of a run: " + line);
        }
        return new Run(
                Long.parseLong(words[0]),
                Long.parseLong(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]));
    }

    String line() {
        return parseNanos + " " + searchNanos + " " + cpuNanos + " " + devices + " " + hops;
    }

    long nanos() {
        return parseNanos + searchNanos;
    }
}
