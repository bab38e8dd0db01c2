/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.query;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A cheapest path between two devices.
 *
 * @param from slot of the first device
 * @param to slot of the last one
 * @param cost the element of the cost matrix; 65535 where there is no path
 * @param hops cables between switches, so 0 on one switch; {@code null} where there is no path
 * @param equalPaths number of sequences of switches that cost the same, parallel cables counted as one; 0 where there is
 *     no path
 * @param speedBitsPerSecond of the slowest link on the way, the devices' own included; {@code null} where a link's is
 *     unknown, or there is none
 * @param steps in the direction of the path; empty from a device to itself, in a fabric without switches, and where
 *     there is no path
 */
public record Path(
        int from,
        int to,
        int cost,
        @Nullable Integer hops,
        long equalPaths,
        @Nullable Long speedBitsPerSecond,
        List<Step> steps) {
    public Path {
        steps = List.copyOf(steps);
    }

    /**
     * A switch on a path.
     *
     * @param switchId its id, as cables name it
     * @param inPort port by which the path comes in; 0 where nobody knows
     * @param outPort port by which it goes out; 0 where nobody knows
     * @param outSpeedBitsPerSecond speed of the link by which it goes out; {@code null} where nobody knows
     */
    public record Step(
            String switchId,
            int inPort,
            int outPort,
            @Nullable Long outSpeedBitsPerSecond) {}
}
