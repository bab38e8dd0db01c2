/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.query;

import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.cost.LinkCosts;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Dijkstra's algorithm over switches from one device. Among equal paths it keeps the one whose last switches have the
 * lowest ids, and of parallel cables the fastest, then the one at the lowest port.
 */
final class PathSearch {
    private static final int NO_SWITCH = -1;

    private final Topology topology;
    private final LinkCosts costs;
    private final CostMatrix matrix;
    private final long[] best;
    private final int[] before;
    /** Entry of the neighbours of {@code before} by which a switch is reached. */
    private final int[] entry;

    private final long[] equalPaths;

    PathSearch(Topology topology, LinkCosts costs, CostMatrix matrix) {
        this.topology = topology;
        this.costs = costs;
        this.matrix = matrix;
        best = new long[topology.switches()];
        before = new int[topology.switches()];
        entry = new int[topology.switches()];
        equalPaths = new long[topology.switches()];
    }

    private record Arrival(int at, long cost) implements Comparable<Arrival> {
        @Override
        public int compareTo(Arrival other) {
            return Long.compare(cost, other.cost);
        }
    }

    private record Cable(int port, int farPort, long speed) {}

    Path between(int from, int fromSlot, int to, int toSlot) {
        int cost = matrix.cost(fromSlot, toSlot);
        if (fromSlot == toSlot) {
            return new Path(fromSlot, toSlot, cost, 0, 1, null, List.of());
        }
        if (cost == CostMatrix.UNREACHABLE) {
            return new Path(fromSlot, toSlot, cost, null, 0, null, List.of());
        }
        if (topology.switches() == 0) {
            // Speeds are known of what is cabled back to back.
            long slower = slower(topology.endSpeed(from), topology.endSpeed(to));
            return new Path(fromSlot, toSlot, cost, 0, 1, Path.known(slower), List.of());
        }
        search(topology.endSwitch(from));
        int last = topology.endSwitch(to);
        List<Integer> way = new ArrayList<>();
        for (int at = last; at != NO_SWITCH; at = before[at]) {
            way.add(at);
        }
        Collections.reverse(way);
        List<Path.Step> steps = new ArrayList<>(way.size());
        long slowest = slower(topology.endSpeed(from), topology.endSpeed(to));
        int inPort = topology.endSwitchPort(from);
        for (int i = 0; i < way.size() - 1; i++) {
            Cable cable = cable(way.get(i), way.get(i + 1));
            steps.add(new Path.Step(topology.switchId(way.get(i)), inPort, cable.port(), Path.known(cable.speed())));
            slowest = slower(slowest, cable.speed());
            inPort = cable.farPort();
        }
        steps.add(new Path.Step(
                topology.switchId(last), inPort, topology.endSwitchPort(to), Path.known(topology.endSpeed(to))));
        return new Path(fromSlot, toSlot, cost, way.size() - 1, equalPaths[last], Path.known(slowest), steps);
    }

    private void search(int start) {
        Arrays.fill(best, Long.MAX_VALUE);
        best[start] = 0;
        before[start] = NO_SWITCH;
        equalPaths[start] = 1;
        PriorityQueue<Arrival> queue = new PriorityQueue<>();
        queue.add(new Arrival(start, 0));
        boolean[] done = new boolean[topology.switches()];
        for (Arrival arrival = queue.poll(); arrival != null; arrival = queue.poll()) {
            if (!done[arrival.at()]) {
                done[arrival.at()] = true;
                leave(arrival.at(), queue);
            }
        }
    }

    private void leave(int at, PriorityQueue<Arrival> queue) {
        for (int i = topology.firstNeighbor(at); i < topology.firstNeighbor(at + 1); i++) {
            int linkCost = costs.toNeighbor(i);
            int next = topology.neighbor(i);
            if (linkCost == CostMatrix.UNREACHABLE || best[next] < best[at] + linkCost) {
                continue;
            }
            if (best[next] > best[at] + linkCost) {
                best[next] = best[at] + linkCost;
                equalPaths[next] = 0;
                before[next] = at;
                entry[next] = i;
                queue.add(new Arrival(next, best[next]));
            }
            long sum = equalPaths[next] + equalPaths[at];
            equalPaths[next] = sum < 0 ? Long.MAX_VALUE : sum;
            if (at < before[next]) {
                before[next] = at;
                entry[next] = i;
            }
        }
    }

    private Cable cable(int at, int next) {
        int neighborEntry = entry[next];
        Cable chosen = null;
        for (int c = topology.firstCable(neighborEntry); c < topology.firstCable(neighborEntry + 1); c++) {
            Cable cable = new Cable(topology.cablePort(c), topology.cableFarPort(c), topology.cableSpeed(c));
            boolean better = chosen == null
                    || cable.speed() > chosen.speed()
                    || cable.speed() == chosen.speed() && cable.port() < chosen.port();
            chosen = better && costs.carries(at, next, c) ? cable : chosen;
        }
        if (chosen == null) {
            throw new IllegalStateException("neighbours have a cable");
        }
        return chosen;
    }

    /** 0, which stands for unknown, is the slowest. */
    private static long slower(long one, long other) {
        return Math.min(one, other);
    }
}
