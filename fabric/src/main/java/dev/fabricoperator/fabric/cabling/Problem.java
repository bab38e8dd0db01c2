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
 */
public record Problem(@Nullable Integer line, String message) {}
