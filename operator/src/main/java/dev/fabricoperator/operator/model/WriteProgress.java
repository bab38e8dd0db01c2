/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import org.jspecify.annotations.Nullable;

/**
 * How far the statuses of one Fabric's devices and switches are written.
 *
 * @param submitted whether those of the Fabric's present generation are among them
 * @param pending still to be written
 * @param refused by the API server; they are tried again, at long intervals
 * @param refusal which one was refused and why, {@code null} where none is
 */
public record WriteProgress(
        boolean submitted,
        int pending,
        int refused,
        @Nullable String refusal) {
    /** Everything that the generation says is written. */
    public static final WriteProgress DONE = new WriteProgress(true, 0, 0, null);

    /** Whether every status of the present generation was accepted, or refused. */
    boolean isComplete() {
        return submitted && pending == 0;
    }
}
