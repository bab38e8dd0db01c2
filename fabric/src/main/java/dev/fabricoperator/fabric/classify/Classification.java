/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import java.util.Arrays;

/**
 * What kind of fabric a topology is, and where its parts stand in it. Arrays are indexed by switch or by device end of
 * the topology, -1 stands for "none".
 *
 * @param kind the kind
 * @param levelOfSwitch 1 for a switch that holds devices, else 1 + the hops to the nearest such one; -1 where no device
 *     is in reach
 * @param axes per axis, coarse to fine, the number of each switch that holds devices; together they are unique. In a
 *     grid switches without devices have their numbers as well
 * @param planes number of planes, at least 1
 * @param planeOfSwitch -1 for a switch that several planes share
 * @param planeOfEnd plane of each device end
 * @param groups number of groups
 * @param groupOfSwitch -1 for a switch above all groups
 * @param groupOfEnd the group of the host of each device end; -1 for a device without cable
 * @param useOfEnd what each device end says of where its host is
 * @param common what all units share
 */
public record Classification(
        FabricKind kind,
        int[] levelOfSwitch,
        int[][] axes,
        int planes,
        int[] planeOfSwitch,
        int[] planeOfEnd,
        int groups,
        int[] groupOfSwitch,
        int[] groupOfEnd,
        DeviceUse[] useOfEnd,
        Common common)
        implements Recognition {

    /**
     * @param devices on switches that hosts of all units share, and devices that somebody said are not for computing
     * @param switches that hold no other device
     */
    public record Common(int devices, int switches) {
        static final Common NONE = new Common(0, 0);
    }

    /** Of a fabric of which all devices say where their hosts are. */
    Classification(
            FabricKind kind,
            int[] levelOfSwitch,
            int[][] axes,
            int planes,
            int[] planeOfSwitch,
            int[] planeOfEnd,
            int groups,
            int[] groupOfSwitch,
            int[] groupOfEnd) {
        this(
                kind,
                levelOfSwitch,
                axes,
                planes,
                planeOfSwitch,
                planeOfEnd,
                groups,
                groupOfSwitch,
                groupOfEnd,
                allComputing(groupOfEnd.length),
                Common.NONE);
    }

    private static DeviceUse[] allComputing(int ends) {
        DeviceUse[] uses = new DeviceUse[ends];
        Arrays.fill(uses, DeviceUse.Compute);
        return uses;
    }

    /** Whether the last axis is the plane, as where each rail is a plane, so that planes share one system of coordinates. */
    public boolean planeIsAnAxis() {
        if (kind != FabricKind.RailOptimized) {
            return false;
        }
        int[] rail = axes[axes.length - 1];
        for (int s = 0; s < rail.length; s++) {
            if (levelOfSwitch[s] == 1 && rail[s] >= 0 && planeOfSwitch[s] >= 0 && rail[s] != planeOfSwitch[s]) {
                return false;
            }
        }
        return true;
    }

    /** Whether the host of a device end is where that is. */
    public boolean tellsPlace(int end) {
        return useOfEnd[end] != DeviceUse.Common;
    }

    /** The side of an axis of a grid: without what stands behind it, such as service switches, which are too few for a layer. */
    public static int side(int[] axis) {
        int[] population = new int[Arrays.stream(axis).max().orElse(-1) + 2];
        for (int value : axis) {
            if (value >= 0) {
                population[value]++;
            }
        }
        int[] sorted = Arrays.copyOf(population, population.length - 1);
        Arrays.sort(sorted);
        int side = sorted.length;
        while (side > 1 && population[side - 1] < Thresholds.THIN_LAYER * sorted[sorted.length / 2]) {
            side--;
        }
        return side;
    }
}
