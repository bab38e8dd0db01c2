/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.testdata;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * What docs/cost-model.md says of weights, written down a second time: bundle by bundle, then Dijkstra's algorithm over
 * switches from each device. Shares no code with the model.
 */
public final class WeightedCosts {
    private static final int HIGHEST = 65_534;

    /** One cable, seen from the switch that sends. */
    private record Cable(int port, int farPort, long speed) {}

    /** Where a device hangs. */
    private record Hook(String at, long cost) {}

    private record Reached(String at, long cost) {}

    private final Weights weights;
    private final Map<String, Switch> switches = new HashMap<>();
    private final long fastest;
    private final Map<String, Map<String, Long>> links = new HashMap<>();
    private final Map<Integer, Hook> hooks = new HashMap<>();

    public WeightedCosts(Collection<Switch> all, Collection<Vertex> vertices, Weights weights) {
        this.weights = weights;
        all.forEach(s -> switches.put(s.id(), s));
        long highest = 0;
        for (Switch node : all) {
            for (SwitchPort port : node.ports()) {
                // A cable from a switch to itself leads nowhere.
                boolean leads = port.peer() != null && !port.peer().id().equals(node.id());
                highest = leads ? Math.max(highest, speed(port)) : highest;
            }
        }
        fastest = highest;
        for (Switch node : all) {
            Map<String, List<Cable>> bundles = new HashMap<>();
            for (SwitchPort port : node.ports()) {
                PortPeer peer = port.peer();
                if (peer != null
                        && switches.containsKey(peer.id())
                        && !peer.id().equals(node.id())) {
                    bundles.computeIfAbsent(peer.id(), p -> new ArrayList<>())
                            .add(new Cable(port.number(), peer.port(), speed(port)));
                }
            }
            Map<String, Long> out = new HashMap<>();
            bundles.forEach((to, cables) -> {
                Long cost = bundle(node.id(), to, cables);
                if (cost != null) {
                    out.put(to, cost);
                }
            });
            links.put(node.id(), out);
        }
        for (Vertex vertex : vertices) {
            hook(all, vertex);
        }
    }

    private void hook(Collection<Switch> all, Vertex vertex) {
        PortPeer end = new PortPeer(vertex.id(), vertex.port());
        for (Switch node : all) {
            for (SwitchPort port : node.ports()) {
                boolean carries = !weights.drainedSwitches().contains(node.id())
                        && !weights.drainedPorts().contains(new PortPeer(node.id(), port.number()));
                if (end.equals(port.peer()) && carries) {
                    hooks.put(vertex.index(), new Hook(node.id(), one(speed(port))));
                }
            }
        }
    }

    private static long speed(SwitchPort port) {
        return port.speedBitsPerSecond() == null ? 0 : port.speedBitsPerSecond();
    }

    private long one(long speed) {
        return speed <= 0 ? 10 : Math.min(HIGHEST, Math.round(10.0 * fastest / speed));
    }

    /** {@code null} where nothing is carried. */
    private @Nullable Long bundle(String from, String to, List<Cable> cables) {
        List<Cable> open = cables.stream()
                .filter(c -> !weights.drainedPorts().contains(new PortPeer(from, c.port)))
                .filter(c -> !weights.drainedPorts().contains(new PortPeer(to, c.farPort)))
                .sorted(Comparator.comparingInt(Cable::port))
                .toList();
        if (open.isEmpty()
                || weights.drainedSwitches().contains(from)
                || weights.drainedSwitches().contains(to)) {
            return null;
        }
        long best = open.stream().mapToLong(Cable::speed).max().orElseThrow();
        double share = 0;
        double asFastAs = 0;
        for (Cable cable : open) {
            Double load = weights.load().get(new PortPeer(from, cable.port));
            share += load == null || load.isNaN() ? 0 : Math.min(1, Math.max(0, load));
            asFastAs += cable.speed == 0 ? 1 : (double) cable.speed / best;
        }
        double cheaper = weights.parallelLinks() ? (1 + 1 / Math.max(1, asFastAs)) / 2 : 1;
        double dearer = 1 + share / open.size();
        // The factors first: half a unit more or less is rounded up or down.
        return Math.min(HIGHEST, Math.max(1, Math.round(one(best) * (cheaper * dearer))));
    }

    /** Of the links from a switch to its neighbour; {@code null} where nothing is carried. */
    public @Nullable Long link(String from, String to) {
        return links.getOrDefault(from, Map.of()).get(to);
    }

    /** Costs from a slot to those that it reaches, before anything is cut. */
    public Map<Integer, Long> row(int from) {
        Map<Integer, Long> row = new HashMap<>();
        Hook start = hooks.get(from);
        if (start == null) {
            return row;
        }
        Map<String, Long> best = new HashMap<>();
        PriorityQueue<Reached> queue = new PriorityQueue<>((a, b) -> Long.compare(a.cost, b.cost));
        queue.add(new Reached(start.at, 0));
        while (!queue.isEmpty()) {
            Reached at = queue.poll();
            if (best.putIfAbsent(at.at, at.cost) == null) {
                links.getOrDefault(at.at, Map.of())
                        .forEach((next, cost) -> queue.add(new Reached(next, at.cost + cost)));
            }
        }
        hooks.forEach((to, hook) -> {
            Long between = best.get(hook.at);
            if (between != null) {
                row.put(to, start.cost + between + hook.cost);
            }
        });
        row.put(from, 0L);
        return row;
    }
}
