/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.level;

/**
 * What a service level means at a port: weights are those of its lane in the two tables of VL arbitration, in units of 64 bytes, 0 for none.
 *
 * @param lane {@value PortLanes#NO_LANE} for none
 * @param arbitrates whether the port has such tables: one with a single lane has none
 */
public record LevelLane(int serviceLevel, int lane, boolean arbitrates, int highWeight, int lowWeight) {
    public boolean isDropped() {
        return lane == PortLanes.NO_LANE;
    }

    /** Whether a packet has its turn some time. */
    public boolean isServed() {
        return !isDropped() && (!arbitrates || highWeight + lowWeight > 0);
    }
}
