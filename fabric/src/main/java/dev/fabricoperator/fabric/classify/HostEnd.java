/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.Collection;

/**
 * The device that says where a host is, of several that may: one on the switch that holds most of them, then on the one that holds
 * most devices of all hosts, then on the one with most cables to other switches, then the fastest one. Only what is alike in all that
 * goes by the addresses of switches, and so by their ids: nothing tells which is right.
 */
public final class HostEnd {
    private final Topology topology;
    private final int[][] axes;
    private final int[] devicesOfSwitch;

    public HostEnd(Topology topology, Classification classification) {
        this(topology, classification.axes());
    }

    /** @param axes numbers of switches that decide where nothing else does */
    HostEnd(Topology topology, int[]... axes) {
        this.topology = topology;
        this.axes = axes;
        devicesOfSwitch = new int[topology.switches()];
        for (int end = 0; end < topology.ends(); end++) {
            if (topology.endSwitch(end) >= 0) {
                devicesOfSwitch[topology.endSwitch(end)]++;
            }
        }
    }

    /**
     * Cost: O(n * n) for n ends, of which a host has few.
     *
     * @param ends cabled ones of one host, on one plane; one at least
     */
    public int of(Collection<Integer> ends) {
        int best = -1;
        long[] bestRank = {};
        for (int end : ends) {
            int at = topology.endSwitch(end);
            long own = ends.size() <= Rails.MAX_RAILS
                    ? ends.stream()
                            .filter(other -> topology.endSwitch(other) == at)
                            .count()
                    : 1;
            long[] rank = {own, devicesOfSwitch[at], topology.degree(at), topology.endSpeed(end)};
            int order = best < 0 ? 1 : Arrays.compare(rank, bestRank);
            if (order > 0 || order == 0 && isBefore(at, topology.endSwitch(best))) {
                best = end;
                bestRank = rank;
            }
        }
        return best;
    }

    private boolean isBefore(int one, int other) {
        for (int[] axis : axes) {
            if (axis[one] != axis[other]) {
                return axis[one] < axis[other];
            }
        }
        return one < other;
    }
}
