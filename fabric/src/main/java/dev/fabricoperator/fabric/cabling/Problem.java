/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import org.jspecify.annotations.Nullable;

/**
 * An oddity that was tolerated: what was read stays usable, and somebody should look at it.
 *
 * @param line where in the source, from 1; {@code null} where the source has no lines
 * @param wiring whether the switches as they were read show it too, so that a model of them tells it again
 */
public record Problem(@Nullable Integer line, String message, boolean wiring) {
    /** One that only the reader sees. */
    public Problem(@Nullable Integer line, String message) {
        this(line, message, false);
    }
}
