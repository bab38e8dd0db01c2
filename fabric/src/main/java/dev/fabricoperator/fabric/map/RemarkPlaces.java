/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.map;

import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Which switches, and which pairs of them, remarks are about. */
final class RemarkPlaces {
    private static final String BETWEEN = " to ";
    private static final String PORT = " port ";

    private final Topology topology;
    private final Map<String, Switch> switches = new HashMap<>();
    private final Map<String, List<Integer>> switchesOfHolder = new HashMap<>();
    private final List<List<Remark>> ofSwitch = new ArrayList<>();
    private final Map<Pair, List<Remark>> ofPair = new TreeMap<>();

    /** @param low the lower index */
    record Pair(int low, int high) implements Comparable<Pair> {
        private static final Comparator<Pair> ORDER =
                Comparator.comparingInt(Pair::low).thenComparingInt(Pair::high);

        static Pair of(int one, int other) {
            return new Pair(Math.min(one, other), Math.max(one, other));
        }

        @Override
        public int compareTo(Pair other) {
            return ORDER.compare(this, other);
        }
    }

    RemarkPlaces(Topology topology, Collection<Switch> known, List<Remark> remarks) {
        this.topology = topology;
        for (int at = 0; at < topology.switches(); at++) {
            ofSwitch.add(new ArrayList<>());
        }
        if (!remarks.isEmpty()) {
            known.forEach(one -> switches.put(one.id(), one));
            findHolders(remarks);
            remarks.forEach(this::place);
        }
    }

    /** By switch. */
    List<Remark> ofSwitch(int at) {
        return ofSwitch.get(at);
    }

    /** Ascending. */
    Map<Pair, List<Remark>> ofPair() {
        return ofPair;
    }

    /** Hosts and devices that remarks name, with the switches that they are cabled to. */
    private void findHolders(List<Remark> remarks) {
        for (Remark remark : remarks) {
            switchesOfHolder.put(remark.object(), new ArrayList<>());
            switchesOfHolder.put(withoutPort(remark.object()), new ArrayList<>());
        }
        for (int end = 0; end < topology.ends(); end++) {
            if (topology.endSwitch(end) >= 0) {
                hold(topology.endHost(end), end);
                hold(topology.endId(end), end);
            }
        }
    }

    private void hold(@Nullable String holder, int end) {
        List<Integer> at = holder == null ? null : switchesOfHolder.get(holder);
        if (at != null && !at.contains(topology.endSwitch(end))) {
            at.add(topology.endSwitch(end));
        }
    }

    private void place(Remark remark) {
        String object = remark.object();
        int between = object.indexOf(BETWEEN);
        if (between > 0) {
            int one = topology.switchIndex(object.substring(0, between));
            int other = topology.switchIndex(object.substring(between + BETWEEN.length()));
            if (one >= 0 && other >= 0) {
                placeBetween(one, other, remark);
                return;
            }
        }
        String holder = withoutPort(object);
        int at = topology.switchIndex(holder);
        if (at >= 0) {
            int far = holder.length() == object.length() ? -1 : farSwitch(holder, object.substring(holder.length()));
            if (far >= 0 && far != at) {
                placeBetween(at, far, remark);
            } else {
                ofSwitch.get(at).add(remark);
            }
            return;
        }
        List<Integer> held = switchesOfHolder.getOrDefault(object, List.of());
        if (held.isEmpty()) {
            held = switchesOfHolder.getOrDefault(holder, List.of());
        }
        // A host with a device at each of many switches is told of once.
        if (!held.isEmpty()) {
            ofSwitch.get(held.getFirst()).add(remark);
        }
    }

    private void placeBetween(int one, int other, Remark remark) {
        ofPair.computeIfAbsent(Pair.of(one, other), pair -> new ArrayList<>()).add(remark);
        ofSwitch.get(one).add(remark);
        ofSwitch.get(other).add(remark);
    }

    private static String withoutPort(String object) {
        int port = object.lastIndexOf(PORT);
        return port < 0 ? object : object.substring(0, port);
    }

    /** The switch that a port is cabled to; -1 where it is none, or nobody knows. */
    private int farSwitch(String id, String port) {
        Switch found = switches.get(id);
        for (SwitchPort one : found == null ? List.<SwitchPort>of() : found.ports()) {
            if (one.peer() != null && port.equals(PORT + one.number())) {
                return topology.switchIndex(one.peer().id());
            }
        }
        return -1;
    }
}
