/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.query;

import dev.fabricoperator.fabric.cost.CostMatrix;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way between two devices: that of packets where the forwarding tables of switches tell it, else a cheapest one.
 *
 * @param from slot of the first device
 * @param to slot of the last one
 * @param basis what the way follows from
 * @param basisReason why the forwarding tables that are known do not tell it; {@code null} where they do, and where none are known
 * @param cost the element of the cost matrix, which is that of a cheapest way; 65535 where there is no path
 * @param hops cables between switches, so 0 on one switch; {@code null} where there is no path
 * @param equalPaths of cheapest ways the number of sequences of switches that cost the same, parallel cables counted as one;
 *     of routes the number of different ones to the LIDs of the far port, 1 where its LMC is 0; 0 where there is no path
 * @param speedBitsPerSecond of the slowest link on the way, the devices' own included; {@code null} where a link's is
 *     unknown, or there is none
 * @param steps in the direction of the path; empty from a device to itself, in a fabric without switches, and where
 *     there is no path
 */
public record Path(
        int from,
        int to,
        Basis basis,
        @Nullable String basisReason,
        int cost,
        @Nullable Integer hops,
        long equalPaths,
        @Nullable Long speedBitsPerSecond,
        List<Step> steps) {
    public Path {
        steps = List.copyOf(steps);
    }

    /** What a way follows from; the names are those of answers. */
    public enum Basis {
        /** The forwarding tables of the switches: the way that packets take. */
        routes,
        /** The costs of links: a way that packets may take. */
        cheapest
    }

    /** A cheapest way, where no forwarding tables are known. */
    Path(
            int from,
            int to,
            int cost,
            @Nullable Integer hops,
            long equalPaths,
            @Nullable Long speedBitsPerSecond,
            List<Step> steps) {
        this(from, to, Basis.cheapest, null, cost, hops, equalPaths, speedBitsPerSecond, steps);
    }

    /** No way at all: devices of two fabrics. */
    public static Path none(int from, int to) {
        return new Path(from, to, CostMatrix.UNREACHABLE, null, 0, null, List.of());
    }

    /** This one, and why it is no route. */
    Path because(String reason) {
        return new Path(from, to, basis, reason, cost, hops, equalPaths, speedBitsPerSecond, steps);
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

    /** Of a speed that is 0 where nobody knows it. */
    static @Nullable Long known(long bitsPerSecond) {
        return bitsPerSecond == 0 ? null : Long.valueOf(bitsPerSecond);
    }
}
