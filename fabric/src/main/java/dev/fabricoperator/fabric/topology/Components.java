/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Connected parts of a wiring. Switches connect, devices do not: an adapter with one port in each of two fabrics joins
 * nothing, and belongs to both.
 */
public final class Components {
    private static final Comparator<PortPeer> BY_ID =
            Comparator.comparing(PortPeer::id).thenComparingInt(PortPeer::port);

    /**
     * @param switches their ids, ascending
     * @param ends device ends that they hold, ascending by id and port
     */
    public record Part(SortedSet<String> switches, SortedSet<PortPeer> ends) {}

    private Components() {}

    /**
     * Ids of switches and of the device ends that they hold, one set per connected part: the largest first, then by
     * smallest id. For devices with ports in several fabrics see {@link #parts}.
     */
    public static List<Set<String>> of(Collection<Switch> switches) {
        List<Set<String>> components = new ArrayList<>();
        for (Part part : parts(switches)) {
            SortedSet<String> ids = new TreeSet<>(part.switches());
            part.ends().forEach(end -> ids.add(end.id()));
            components.add(ids);
        }
        return components;
    }

    /** The connected parts: most device ends first, then most switches, then by smallest switch id. */
    public static List<Part> parts(Collection<Switch> switches) {
        Map<String, String> parents = new HashMap<>();
        switches.forEach(s -> parents.put(s.id(), s.id()));
        for (Switch node : switches) {
            for (SwitchPort port : node.ports()) {
                PortPeer peer = port.peer();
                if (peer != null && port.state() != PortState.Down && parents.containsKey(peer.id())) {
                    join(parents, node.id(), peer.id());
                }
            }
        }
        Map<String, Part> parts = new TreeMap<>();
        for (Switch node : switches) {
            Part part = parts.computeIfAbsent(
                    root(parents, node.id()), r -> new Part(new TreeSet<>(), new TreeSet<>(BY_ID)));
            part.switches().add(node.id());
            for (SwitchPort port : node.ports()) {
                PortPeer peer = port.peer();
                if (peer != null && port.state() != PortState.Down && !parents.containsKey(peer.id())) {
                    part.ends().add(peer);
                }
            }
        }
        List<Part> sorted = new ArrayList<>(parts.values());
        sorted.sort(Comparator.comparingInt((Part p) -> -p.ends().size())
                .thenComparingInt(p -> -p.switches().size())
                .thenComparing(p -> p.switches().first()));
        return List.copyOf(sorted);
    }

    private static void join(Map<String, String> parents, String one, String other) {
        String a = root(parents, one);
        String b = root(parents, other);
        if (a.compareTo(b) < 0) {
            parents.put(b, a);
        } else {
            parents.put(a, b);
        }
    }

    private static String root(Map<String, String> parents, String id) {
        String at = id;
        for (String up = parent(parents, at); !up.equals(at); up = parent(parents, at)) {
            String above = parent(parents, up);
            parents.put(at, above);
            at = above;
        }
        return at;
    }

    private static String parent(Map<String, String> parents, String id) {
        return parents.getOrDefault(id, id);
    }
}
