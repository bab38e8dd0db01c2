/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.query;

import org.jspecify.annotations.Nullable;

/**
 * A switch on a path.
 *
 * @param switchId its id, as cables name it
 * @param inPort port by which the path comes in; 0 where nobody knows
 * @param outPort port by which it goes out; 0 where nobody knows
 * @param outSpeedBitsPerSecond speed of the link by which it goes out; {@code null} where nobody knows
 */
public record PathStep(
        String switchId, int inPort, int outPort, @Nullable Long outSpeedBitsPerSecond) {}
