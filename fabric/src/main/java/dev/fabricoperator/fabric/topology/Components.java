/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import dev.fabricoperator.fabric.cabling.NodeId;
import dev.fabricoperator.fabric.cabling.NodeType;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.graph.DisjointSets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Connected components of a wiring. Only switches connect: an adapter with a port in each of two fabrics belongs to both and
 * does not join them.
 */
public final class Components {
    /**
     * @param switches their ids, ascending
     * @param ends device ends that they hold, each once, ascending by id and port
     */
    public record Part(SortedSet<String> switches, List<PortPeer> ends) {}

    private Components() {}

    /** The connected parts: most device ends first, then most switches, then by smallest switch id. */
    public static List<Part> parts(Collection<Switch> switches) {
        Map<String, Integer> indexes = HashMap.newHashMap(switches.size());
        for (Switch node : switches) {
            indexes.putIfAbsent(node.id(), indexes.size());
        }
        DisjointSets sets = new DisjointSets(indexes.size());
        List<List<PortPeer>> ends = new ArrayList<>(indexes.size());
        for (Switch node : switches) {
            int at = indexes.getOrDefault(node.id(), 0);
            List<PortPeer> held = new ArrayList<>();
            for (SwitchPort port : node.ports()) {
                PortPeer peer = port.peer();
                if (peer != null && port.state() != PortState.Down) {
                    Integer far = indexes.get(peer.id());
                    if (far != null) {
                        sets.join(at, far);
                    } else if (port.peerType() != NodeType.Switch) {
                        held.add(peer);
                    }
                }
            }
            ends.add(held);
        }
        Map<Integer, Part> parts = new HashMap<>();
        int number = 0;
        for (Switch node : switches) {
            int root = sets.root(indexes.getOrDefault(node.id(), 0));
            Part part = parts.computeIfAbsent(root, r -> new Part(new TreeSet<>(), new ArrayList<>()));
            part.switches().add(node.id());
            part.ends().addAll(ends.get(number++));
        }
        List<Part> sorted = new ArrayList<>(parts.size());
        parts.values().forEach(part -> sorted.add(new Part(part.switches(), ascending(part.ends()))));
        sorted.sort(Comparator.comparingInt((Part p) -> -p.ends().size())
                .thenComparingInt(p -> -p.switches().size())
                .thenComparing(p -> p.switches().first()));
        return List.copyOf(sorted);
    }

    private static List<PortPeer> ascending(List<PortPeer> ends) {
        // Numbers compare faster than texts.
        boolean guids = ends.stream().allMatch(end -> NodeId.value(end.id()) != 0);
        Keyed[] sorted = new Keyed[ends.size()];
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = new Keyed(guids ? NodeId.value(ends.get(i).id()) : 0, ends.get(i));
        }
        Arrays.sort(sorted, Components::compare);
        List<PortPeer> distinct = new ArrayList<>(sorted.length);
        for (Keyed end : sorted) {
            if (distinct.isEmpty() || !distinct.getLast().equals(end.end)) {
                distinct.add(end.end);
            }
        }
        return distinct;
    }

    /** @param key never the other way round than the id */
    private record Keyed(long key, PortPeer end) {}

    private static int compare(Keyed one, Keyed other) {
        int order = Long.compareUnsigned(one.key, other.key);
        order = order != 0 ? order : one.end.id().compareTo(other.end.id());
        return order != 0 ? order : Integer.compare(one.end.port(), other.end.port());
    }
}
