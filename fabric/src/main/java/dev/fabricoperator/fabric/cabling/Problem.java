/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import org.jspecify.annotations.Nullable;

/**
 * Something wrong that was tolerated: what was read is usable, and an administrator should look at it.
 *
 * @param line where in the source, from 1; {@code null} where the source has no lines
 * @param wiring whether the switches that were read show it too, so that their model reports it as a finding
 */
public record Problem(@Nullable Integer line, String message, boolean wiring) {
    /** One that only the reader can report. */
    public Problem(@Nullable Integer line, String message) {
        this(line, message, false);
    }
}
