/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

/** What a pod that wants to join is told. */
public sealed interface Reply {
    /** The job is not whole yet. */
    record Wait() implements Reply {}

    /**
     * @param map of this attempt, encoded; the same array for every pod, and not to be changed
     */
    record Whole(int attempt, byte[] map) implements Reply {}

    /** It cannot be, and waiting does not help. */
    record Refused(String sentence) implements Reply {}

    /** The assembly timeout is over. */
    record TimedOut(String sentence) implements Reply {}
}
