/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.ShortestPaths;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Edge switches, that is those that hold devices, and the hops between each two of them, computed on the first request. Not
 * thread-safe.
 *
 * <p>Cost of the hops: O(s * s) space for s such switches; time as {@link ShortestPaths}.
 */
final class EdgeHops {
    static final int UNREACHABLE = 255;

    private final int[] edges;
    private final int[] edgeOfSwitch;
    private final int[] devicesOfSwitch;
    private final Topology topology;
    private byte @Nullable [] found;

    private EdgeHops(Topology topology, int[] edges, int[] edgeOfSwitch, int[] devicesOfSwitch) {
        this.topology = topology;
        this.edges = edges;
        this.edgeOfSwitch = edgeOfSwitch;
        this.devicesOfSwitch = devicesOfSwitch;
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
        return new EdgeHops(topology, Arrays.copyOf(edges, count), edgeOfSwitch, devices);
    }

    private byte[] search() {
        int count = edges.length;
        byte[] hops = new byte[Math.multiplyExact(count, count)];
        Arrays.fill(hops, (byte) UNREACHABLE);
        int[] one = new int[topology.firstNeighbor(topology.switches())];
        Arrays.fill(one, 1);
        ShortestPaths paths = new ShortestPaths(topology, one);
        for (int first = 0; first < count; first += Long.SIZE) {
            int column = first;
            paths.wavesFrom(edges, first, Math.min(Long.SIZE, count - first), (sources, at, distance) -> {
                if (edgeOfSwitch[at] >= 0) {
                    // Distances are symmetric: filling a row of the far end writes consecutive bytes.
                    int row = edgeOfSwitch[at] * count + column;
                    byte value = (byte) Math.min(distance, UNREACHABLE - 1);
                    for (long rest = sources; rest != 0; rest &= rest - 1) {
                        hops[row + Long.numberOfTrailingZeros(rest)] = value;
                    }
                }
            });
        }
        return hops;
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
        byte[] hops = found;
        if (hops == null) {
            hops = search();
            found = hops;
        }
        return Byte.toUnsignedInt(hops[from * edges.length + to]);
    }
}
