/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.ShortestPaths;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;

/**
 * Switches that hold devices, and the hops between each two of them.
 *
 * <p>Cost: O(s * s) space for s such switches; time as {@link ShortestPaths}.
 */
final class EdgeHops {
    static final int UNREACHABLE = 255;

    private final int[] edges;
    private final int[] edgeOfSwitch;
    private final int[] devicesOfSwitch;
    private final byte[] hops;

    private EdgeHops(int[] edges, int[] edgeOfSwitch, int[] devicesOfSwitch, byte[] hops) {
        this.edges = edges;
        this.edgeOfSwitch = edgeOfSwitch;
        this.devicesOfSwitch = devicesOfSwitch;
        this.hops = hops;
    }

    static EdgeHops of(Topology topology) {
        int[] devices = new int[topology.switches()];
        for (int end = 0; end < topology.ends(); end++) {
            if (topology.endSwitch(end) >= 0) {
                devices[topology.endSwitch(end)]++;
            }
        }
        int[] edges = new int[devices.length];
        int[] edgeOfSwitch = new int[devices.length];
        int count = 0;
        for (int s = 0; s < devices.length; s++) {
            edgeOfSwitch[s] = devices[s] > 0 ? count : -1;
            if (devices[s] > 0) {
                edges[count++] = s;
            }
        }
        edges = Arrays.copyOf(edges, count);
        byte[] hops = new byte[Math.multiplyExact(count, count)];
        Arrays.fill(hops, (byte) UNREACHABLE);
        int[] one = new int[topology.firstNeighbor(topology.switches())];
        Arrays.fill(one, 1);
        ShortestPaths paths = new ShortestPaths(topology, one);
        int columns = count;
        for (int first = 0; first < count; first += Long.SIZE) {
            int row = first;
            paths.from(edges, first, Math.min(Long.SIZE, count - first), (source, at, distance) -> {
                if (edgeOfSwitch[at] >= 0) {
                    hops[(row + source) * columns + edgeOfSwitch[at]] = (byte) Math.min(distance, UNREACHABLE - 1);
                }
            });
        }
        return new EdgeHops(edges, edgeOfSwitch, devices, hops);
    }

    /** Number of switches that hold devices. */
    int size() {
        return edges.length;
    }

    int switchOf(int edge) {
        return edges[edge];
    }

    /** -1 for a switch without devices. */
    int edgeOf(int switchIndex) {
        return edgeOfSwitch[switchIndex];
    }

    int devices(int edge) {
        return devicesOfSwitch[edges[edge]];
    }

    /** {@link #UNREACHABLE} between parts that are not connected; longer ways than 254 hops count as 254. */
    int hops(int from, int to) {
        return Byte.toUnsignedInt(hops[from * edges.length + to]);
    }
}
