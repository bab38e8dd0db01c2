/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.testdata;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** What docs/cost-model.md says, computed naively over devices and switches with Dijkstra's algorithm. */
public final class Costs {
    private record Edge(int to, int cost) {}

    private record Reached(int node, int cost) {}

    private final Map<String, Integer> switchNodes = new HashMap<>();
    private final List<List<Edge>> edges = new ArrayList<>();
    private final int[] nodeOfSlot;

    public Costs(Collection<Switch> switches, Collection<Vertex> vertices) {
        long fastest = switches.stream()
                .flatMap(s -> s.ports().stream())
                .mapToLong(p -> p.peer() == null || p.speedBitsPerSecond() == null ? 0 : p.speedBitsPerSecond())
                .max()
                .orElse(0);
        switches.forEach(s -> switchNodes.put(s.id(), addNode()));
        nodeOfSlot = new int[vertices.stream().mapToInt(Vertex::index).max().orElse(-1) + 1];
        Arrays.fill(nodeOfSlot, -1);
        Map<PortPeer, Integer> deviceNodes = new HashMap<>();
        for (Vertex vertex : vertices) {
            int node = addNode();
            nodeOfSlot[vertex.index()] = node;
            deviceNodes.put(new PortPeer(vertex.id(), vertex.port()), node);
        }
        for (Switch node : switches) {
            int here = switchNodes.getOrDefault(node.id(), -1);
            for (SwitchPort port : node.ports()) {
                if (port.peer() == null) {
                    continue;
                }
                int there = switchNodes.getOrDefault(port.peer().id(), deviceNodes.getOrDefault(port.peer(), -1));
                long speed = port.speedBitsPerSecond() == null ? 0 : port.speedBitsPerSecond();
                int cost = speed == 0 ? 10 : (int) Math.round(10.0 * fastest / speed);
                // Beside cables of known speed, one of unknown speed says nothing.
                boolean beside = speed == 0
                        && node.ports().stream()
                                .anyMatch(p -> p.peer() != null
                                        && p.peer().id().equals(port.peer().id())
                                        && p.speedBitsPerSecond() != null
                                        && p.speedBitsPerSecond() > 0);
                if (there >= 0 && !beside) {
                    edges.get(here).add(new Edge(there, cost));
                    edges.get(there).add(new Edge(here, cost));
                }
            }
        }
    }

    private int addNode() {
        edges.add(new ArrayList<>());
        return edges.size() - 1;
    }

    /** The row of a slot; 65535 out of reach. */
    public int[] row(int slot) {
        int[] best = new int[edges.size()];
        Arrays.fill(best, 65_535);
        PriorityQueue<Reached> queue = new PriorityQueue<>((a, b) -> Integer.compare(a.cost, b.cost));
        if (nodeOfSlot[slot] >= 0) {
            best[nodeOfSlot[slot]] = 0;
            queue.add(new Reached(nodeOfSlot[slot], 0));
        }
        while (!queue.isEmpty()) {
            Reached at = queue.poll();
            boolean forwards = at.node < switchNodes.size() || at.cost == 0;
            if (at.cost > best[at.node] || !forwards) {
                continue;
            }
            for (Edge edge : edges.get(at.node)) {
                if (at.cost + edge.cost < best[edge.to]) {
                    best[edge.to] = at.cost + edge.cost;
                    queue.add(new Reached(edge.to, best[edge.to]));
                }
            }
        }
        int[] row = new int[nodeOfSlot.length];
        for (int to = 0; to < row.length; to++) {
            row[to] = nodeOfSlot[to] < 0 ? 65_535 : best[nodeOfSlot[to]];
        }
        return row;
    }
}
