/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.map;

import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Which switches, pairs of switches, groups and empty places remarks are about. */
final class RemarkPlaces {
    private static final String BETWEEN = " to ";
    private static final String PORT = " port ";
    private static final String PLACE = "place ";
    private static final Pattern GROUPS = Pattern.compile("group ([0-9]{1,9})(?: to group ([0-9]{1,9}))?");
    private static final int MOST_HOSTS = 1 << 14;

    /** Switches of a finding in {@code Fabric.status}. */
    private static final int MOST_OF_A_STATUS = 8;

    private final Topology topology;
    private final Map<String, Switch> switches = new HashMap<>();
    private final Map<String, List<Integer>> switchesOfHolder = new HashMap<>();
    /** By object that is a host list, those of its hosts that the topology has; others may be thousands. */
    private final Map<String, List<String>> hostsOfList = new HashMap<>();

    private final List<List<Remark>> ofSwitch = new ArrayList<>();
    private final Map<Pair, List<Remark>> ofPair = new TreeMap<>();
    private final Map<Integer, List<Remark>> ofGroup = new TreeMap<>();
    private final Map<Pair, List<Remark>> betweenGroups = new TreeMap<>();
    /** By coordinates, such as {@code 5,1,3}. */
    private final Map<String, Remark> ofEmptyPlace = new TreeMap<>();

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

    /** By group. */
    List<Remark> ofGroup(int group) {
        return ofGroup.getOrDefault(group, List.of());
    }

    /** Two groups each, ascending. */
    Map<Pair, List<Remark>> betweenGroups() {
        return betweenGroups;
    }

    /** Of the place of a grid where a switch is missing; {@code null} for one with nothing to tell. */
    @Nullable
    Remark ofEmptyPlace(String coordinates) {
        return ofEmptyPlace.get(coordinates);
    }

    /** Hosts and devices that remarks name, with the switches that they are cabled to. */
    private void findHolders(List<Remark> remarks) {
        Set<String> hosts = new HashSet<>();
        for (int end = 0; end < topology.ends(); end++) {
            hosts.add(Objects.requireNonNullElse(topology.endHost(end), ""));
        }
        for (Remark remark : remarks) {
            switchesOfHolder.put(remark.object(), new ArrayList<>());
            switchesOfHolder.put(withoutPort(remark.object()), new ArrayList<>());
            List<String> listed = hostsOfList.computeIfAbsent(
                    remark.object(),
                    object -> hosts(object).stream().filter(hosts::contains).toList());
            listed.forEach(host -> switchesOfHolder.put(host, new ArrayList<>()));
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
        Matcher groups = GROUPS.matcher(object);
        if (groups.matches()) {
            placeAtGroups(groups, remark);
            return;
        }
        if (object.startsWith(PLACE)) {
            ofEmptyPlace.put(object.substring(PLACE.length()), remark);
        }
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
        // A list that is as long as a Fabric's status has them may be cut.
        if (remark.switches().isEmpty() || remark.switches().size() >= MOST_OF_A_STATUS) {
            placeAtHolders(holder, remark);
        }
        if (!remark.switches().isEmpty()) {
            remark.switches().stream()
                    .map(topology::switchIndex)
                    .filter(each -> each >= 0)
                    .distinct()
                    .forEach(each -> ofSwitch.get(each).add(remark));
        }
    }

    private void placeAtGroups(Matcher groups, Remark remark) {
        int one = Integer.parseInt(groups.group(1));
        ofGroup.computeIfAbsent(one, group -> new ArrayList<>()).add(remark);
        if (groups.group(2) != null) {
            int other = Integer.parseInt(groups.group(2));
            ofGroup.computeIfAbsent(other, group -> new ArrayList<>()).add(remark);
            betweenGroups
                    .computeIfAbsent(Pair.of(one, other), pair -> new ArrayList<>())
                    .add(remark);
        }
    }

    /** Where nothing but the name of a device, a host, or some hosts is known: the first switch of each. */
    private void placeAtHolders(String holder, Remark remark) {
        List<Integer> held = switchesOfHolder.getOrDefault(remark.object(), List.of());
        if (held.isEmpty()) {
            held = switchesOfHolder.getOrDefault(holder, List.of());
        }
        Set<Integer> first = new TreeSet<>();
        held.stream().limit(1).forEach(first::add);
        if (held.isEmpty()) {
            hostsOfList
                    .getOrDefault(remark.object(), List.of())
                    .forEach(host -> switchesOfHolder.getOrDefault(host, List.of()).stream()
                            .limit(1)
                            .forEach(first::add));
        }
        first.forEach(each -> ofSwitch.get(each).add(remark));
    }

    /** Those of a host list. */
    private static List<String> hosts(String object) {
        try {
            return object.indexOf('[') < 0 && object.indexOf(',') < 0 ? List.of() : HostList.expand(object, MOST_HOSTS);
        } catch (HostList.BadHostList e) {
            // A device's name, or a list that was cut.
            return List.of();
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
