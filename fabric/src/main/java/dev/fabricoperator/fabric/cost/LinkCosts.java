/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import dev.fabricoperator.fabric.topology.Topology;

/** Cost of one hop: {@value #UNIT} at the speed of the fabric's fastest cable, in proportion more on slower ones. */
public final class LinkCosts {
    static final int UNIT = 10;

    private final Topology topology;

    private final long fastest;

    private LinkCosts(Topology topology, long fastest) {
        this.topology = topology;
        this.fastest = fastest;
    }

    public static LinkCosts of(Topology topology) {
        long fastest = 0;
        int entries = topology.firstNeighbor(topology.switches());
        for (int i = 0; i < entries; i++) {
            fastest = Math.max(fastest, topology.neighborSpeed(i));
        }
        for (int end = 0; end < topology.ends(); end++) {
            fastest = Math.max(fastest, topology.endSpeed(end));
        }
        return new LinkCosts(topology, fastest);
    }

    /** From a switch to its neighbour at entry {@code i} of the topology. */
    public int toNeighbor(int i) {
        return of(topology.neighborSpeed(i));
    }

    /** Of a device end's own cable, in both directions. */
    public int ofEnd(int end) {
        return of(topology.endSpeed(end));
    }

    /** A speed that nobody knows counts as the fastest: a guess must not bend paths. */
    int of(long bitsPerSecond) {
        if (bitsPerSecond <= 0 || bitsPerSecond >= fastest) {
            return UNIT;
        }
        double cost = (double) UNIT * fastest / bitsPerSecond;
        return cost >= CostMatrix.HIGHEST ? CostMatrix.HIGHEST : (int) Math.round(cost);
    }
}
