/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import org.jspecify.annotations.Nullable;

/**
 * Something wrong that was tolerated: what was read is usable, and an administrator should look at it.
 *
 * @param file what the text is called, of several that were read together; {@code null} where there is one
 * @param line where in the text, from 1; {@code null} where the source has no lines
 * @param wiring whether the switches that were read show it too, so that their model reports it as a finding
 */
public record Problem(@Nullable String file, @Nullable Integer line, String message, boolean wiring) {
    public Problem(@Nullable Integer line, String message, boolean wiring) {
        this(null, line, message, wiring);
    }

    /** One that only the reader can report. */
    public Problem(@Nullable Integer line, String message) {
        this(line, message, false);
    }

    /** The same with a file, where it had none. */
    public Problem in(String text) {
        return file == null ? new Problem(text, line, message, wiring) : this;
    }
}
