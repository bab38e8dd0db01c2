/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;

/**
 * Cost of one hop: {@value #UNIT} at the speed of the fabric's fastest cable, proportionally more on slower ones, infinite
 * on drained ones. Parallel links and load count if {@link Weights} say so; see docs/cost-model.md. Immutable.
 */
public final class LinkCosts {
    public static final int UNIT = 10;

    private final Topology topology;
    private final Weights weights;
    private final long fastest;
    private final boolean[] drainedSwitch;
    /** Per switch; empty for most. */
    private final int[][] drainedPorts;

    private final int[] costOfEntry;

    private LinkCosts(Topology topology, Weights weights) {
        this.topology = topology;
        this.weights = weights;
        fastest = fastest(topology);
        drainedSwitch = new boolean[topology.switches()];
        for (String id : weights.drainedSwitches()) {
            int at = topology.switchIndex(id);
            if (at >= 0) {
                drainedSwitch[at] = true;
            }
        }
        drainedPorts = drainedPorts(topology, weights);
        costOfEntry = costOfEntry();
    }

    public static LinkCosts of(Topology topology) {
        return of(topology, Weights.NONE);
    }

    public static LinkCosts of(Topology topology, Weights weights) {
        return new LinkCosts(topology, weights);
    }

    Topology topology() {
        return topology;
    }

    /** Drained cables count: a drain must not make all others cheaper. */
    /** Bits per second of the fastest cable, whose hop costs {@value #UNIT}; 0 where no speed is known. */
    public long fastest() {
        return fastest;
    }

    private static long fastest(Topology topology) {
        long fastest = 0;
        int entries = topology.firstNeighbor(topology.switches());
        for (int i = 0; i < entries; i++) {
            fastest = Math.max(fastest, topology.neighborSpeed(i));
        }
        for (int end = 0; end < topology.ends(); end++) {
            fastest = Math.max(fastest, topology.endSpeed(end));
        }
        return fastest;
    }

    private static int[][] drainedPorts(Topology topology, Weights weights) {
        int[][] ports = new int[topology.switches()][];
        int[] none = {};
        Arrays.fill(ports, none);
        for (PortPeer port : weights.drainedPorts()) {
            int at = topology.switchIndex(port.id());
            if (at >= 0) {
                ports[at] = Arrays.copyOf(ports[at], ports[at].length + 1);
                ports[at][ports[at].length - 1] = port.port();
            }
        }
        return ports;
    }

    private int[] costOfEntry() {
        int[] costs = new int[topology.firstNeighbor(topology.switches())];
        long lastSpeed = -1;
        int lastCost = UNIT;
        boolean dynamic = weights.parallelLinks() || !weights.load().isEmpty();
        for (int s = 0; s < topology.switches(); s++) {
            for (int i = topology.firstNeighbor(s); i < topology.firstNeighbor(s + 1); i++) {
                int far = topology.neighbor(i);
                if (drainedSwitch[s] || drainedSwitch[far]) {
                    costs[i] = CostMatrix.UNREACHABLE;
                } else if (dynamic || drainedPorts[s].length > 0 || drainedPorts[far].length > 0) {
                    costs[i] = ofBundle(s, i);
                } else {
                    if (topology.neighborSpeed(i) != lastSpeed) {
                        lastSpeed = topology.neighborSpeed(i);
                        lastCost = of(lastSpeed);
                    }
                    costs[i] = lastCost;
                }
            }
        }
        return costs;
    }

    /** Cable by cable. */
    private int ofBundle(int at, int entry) {
        long best = 0;
        int cables = 0;
        double load = 0;
        for (int c = topology.firstCable(entry); c < topology.firstCable(entry + 1); c++) {
            if (carries(at, topology.neighbor(entry), c)) {
                best = Math.max(best, topology.cableSpeed(c));
                cables++;
                load += weights.load().isEmpty() ? 0 : loadAt(at, topology.cablePort(c));
            }
        }
        if (cables == 0) {
            return CostMatrix.UNREACHABLE;
        }
        double factor = 1;
        if (weights.parallelLinks()) {
            factor *= (1 + 1 / capacity(at, entry, best)) / 2;
        }
        factor *= 1 + load / cables;
        return factor == 1 ? of(best) : (int) Math.clamp(Math.round(of(best) * factor), 1, CostMatrix.HIGHEST);
    }

    /** Of a bundle, in cables of its fastest one; at least 1. A cable of unknown speed counts as that. */
    private double capacity(int at, int entry, long best) {
        double capacity = 0;
        for (int c = topology.firstCable(entry); c < topology.firstCable(entry + 1); c++) {
            if (carries(at, topology.neighbor(entry), c)) {
                long speed = topology.cableSpeed(c);
                capacity += speed == 0 ? 1 : (double) speed / best;
            }
        }
        return Math.max(capacity, 1);
    }

    private double loadAt(int at, int port) {
        Double load = weights.load().get(new PortPeer(topology.switchId(at), port));
        return load == null || load.isNaN() ? 0 : Math.clamp(load, 0, 1);
    }

    /** Whether neither end of a cable between switches is drained. */
    public boolean carries(int at, int neighbor, int cable) {
        return !drainedSwitch[at]
                && !drainedSwitch[neighbor]
                && !isDrained(at, topology.cablePort(cable))
                && !isDrained(neighbor, topology.cableFarPort(cable));
    }

    private boolean isDrained(int at, int port) {
        for (int drained : drainedPorts[at]) {
            if (drained == port) {
                return true;
            }
        }
        return false;
    }

    /** From a switch to its neighbour at entry {@code i} of the topology; 65535 where nothing is carried. */
    public int toNeighbor(int i) {
        return costOfEntry[i];
    }

    /** Not to be written to. */
    int[] toNeighbors() {
        return costOfEntry;
    }

    /** Costs in the other direction: from the neighbour at entry {@code i} to the switch of that row. */
    int[] fromNeighbors() {
        if (!directed()) {
            return costOfEntry;
        }
        int[] back = new int[costOfEntry.length];
        int[] next = new int[topology.switches()];
        for (int s = 0; s < next.length; s++) {
            next[s] = topology.firstNeighbor(s);
        }
        // Rows ascend, so walking all of them meets the entries of each neighbour's row in order.
        for (int s = 0; s < next.length; s++) {
            for (int i = topology.firstNeighbor(s); i < topology.firstNeighbor(s + 1); i++) {
                back[next[topology.neighbor(i)]++] = costOfEntry[i];
            }
        }
        return back;
    }

    /** Whether a link may cost another amount in one direction than in the other. */
    boolean directed() {
        return !weights.load().isEmpty();
    }

    /** Of a device end's own cable, in both directions; 65535 without a cable, and where nothing is carried. */
    public int ofEnd(int end) {
        int at = topology.endSwitch(end);
        if (at < 0 || drainedSwitch[at] || isDrained(at, topology.endSwitchPort(end))) {
            return CostMatrix.UNREACHABLE;
        }
        return of(topology.endSpeed(end));
    }

    /** An unknown speed counts as the fastest, so that it does not divert paths. */
    int of(long bitsPerSecond) {
        if (bitsPerSecond <= 0 || bitsPerSecond >= fastest) {
            return UNIT;
        }
        double cost = (double) UNIT * fastest / bitsPerSecond;
        return cost >= CostMatrix.HIGHEST ? CostMatrix.HIGHEST : (int) Math.round(cost);
    }
}
