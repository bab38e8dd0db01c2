/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.level;

import java.util.List;

/**
 * How a port of a switch sends packets, as it was read back from the port.
 *
 * @param laneOfServiceLevel virtual lane of each of the 16 service levels; {@value #NO_LANE} is none: such packets are dropped
 * @param highWeights of each of 15 virtual lanes in the high priority table, in units of 64 bytes, 0 where the lane is not in it; empty where the port has no such
 *     table, as with one lane for data
 * @param lowWeights the same of the low priority table
 * @see "InfiniBand Architecture Specification 1.4, 7.6.6 (SL to VL mapping), 7.6.9 (VL arbitration)"
 */
public record PortLanes(List<Integer> laneOfServiceLevel, List<Integer> highWeights, List<Integer> lowWeights) {
    /** VL15 is for management alone. */
    public static final int NO_LANE = 15;

    public static final int SERVICE_LEVELS = 16;

    /** @throws IllegalArgumentException for tables of another size, or a lane that is none */
    public PortLanes {
        laneOfServiceLevel = List.copyOf(laneOfServiceLevel);
        highWeights = List.copyOf(highWeights);
        lowWeights = List.copyOf(lowWeights);
        if (laneOfServiceLevel.size() != SERVICE_LEVELS
                || laneOfServiceLevel.stream().anyMatch(lane -> lane < 0 || lane > NO_LANE)
                || !isTable(highWeights)
                || !isTable(lowWeights)) {
            throw new IllegalArgumentException("no lanes of a port");
        }
    }

    private static boolean isTable(List<Integer> weights) {
        return weights.isEmpty() || weights.size() == NO_LANE;
    }

    public LevelLane of(int serviceLevel) {
        int lane = laneOfServiceLevel.get(serviceLevel);
        boolean arbitrates = !highWeights.isEmpty() || !lowWeights.isEmpty();
        return new LevelLane(serviceLevel, lane, arbitrates, weight(highWeights, lane), weight(lowWeights, lane));
    }

    private static int weight(List<Integer> weights, int lane) {
        return lane < weights.size() ? weights.get(lane) : 0;
    }
}
