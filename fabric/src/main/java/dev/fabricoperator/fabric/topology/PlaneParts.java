/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import dev.fabricoperator.fabric.MostFrequent;
import dev.fabricoperator.fabric.cabling.NodeType;
import dev.fabricoperator.fabric.cabling.NvlinkClique;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which connected parts are planes of one network, although no cable joins them: they have as many switches and as fast
 * devices, and the same hosts, most of which have as many devices in one as in the other. Besides, most hosts have a card with a port in each,
 * or each part has several switches and known speeds: a switch for storage beside one for computing may be alike in all else.
 *
 * <p>Cliques of accelerators ({@link NvlinkClique}) are one network, too.
 *
 * <p>Cost: O(ports), and O(p) for the p pairs of parts in which a host has devices.
 */
public final class PlaneParts {
    /** Share of the hosts of two parts that are in both. */
    private static final double SAME_HOSTS = 0.9;

    /** Share of these with as many devices in both: a plane that lacks a leaf when it is first seen is a plane all the same. */
    private static final double EVENLY = 0.5;

    private static final double SAME_SIZE = 0.9;

    /** One host in two parts says nothing of the next one. */
    private static final int FEWEST_HOSTS = 2;

    /** More than any network has; a host that claims more must not cost quadratic time. */
    private static final int MAX_PLANES = 16;

    private final int[] switches;
    private final int[] hosts;
    private final List<Map<Long, Integer>> speeds = new ArrayList<>();
    private final Map<Long, Integer> inBoth = new HashMap<>();
    private final Map<Long, Integer> evenly = new HashMap<>();
    /** By pair of parts, hosts with an adapter that has a port in each. */
    private final Map<Long, Integer> byCard = new HashMap<>();

    private PlaneParts(int parts) {
        switches = new int[parts];
        hosts = new int[parts];
        for (int part = 0; part < parts; part++) {
            speeds.add(new HashMap<>());
        }
    }

    /**
     * By part, the number of the first part of its network.
     *
     * @param parts of {@link Components#parts}
     * @param switches all that are in a part
     */
    public static int[] firstOfNetwork(List<Components.Part> parts, Collection<Switch> switches) {
        PlaneParts planes = new PlaneParts(parts.size());
        DisjointSets networks = new DisjointSets(parts.size());
        if (parts.size() > 1) {
            planes.count(parts, switches);
            planes.inBoth.forEach((pair, both) -> {
                if (planes.arePlanes(pair, both)) {
                    networks.join((int) (pair >>> 32), pair.intValue());
                }
            });
            joinCliques(parts, switches, networks);
        }
        int[] first = new int[parts.size()];
        Arrays.setAll(first, networks::root);
        return first;
    }

    /** Cliques of accelerators are one fabric, although nothing joins them. */
    private static void joinCliques(List<Components.Part> parts, Collection<Switch> all, DisjointSets networks) {
        Set<String> cliques =
                all.stream().filter(NvlinkClique::is).map(Switch::id).collect(Collectors.toSet());
        int before = -1;
        for (int part = 0; part < parts.size(); part++) {
            if (cliques.containsAll(parts.get(part).switches())) {
                if (before >= 0) {
                    networks.join(before, part);
                }
                before = part;
            }
        }
    }

    private void count(List<Components.Part> parts, Collection<Switch> all) {
        Map<String, Integer> partOf = HashMap.newHashMap(all.size());
        for (int part = 0; part < parts.size(); part++) {
            switches[part] = parts.get(part).switches().size();
            for (String id : parts.get(part).switches()) {
                partOf.put(id, part);
            }
        }
        Map<String, Map<Integer, Integer>> devices = new HashMap<>();
        Map<String, Map<String, Set<Integer>>> partsOfCards = new HashMap<>();
        Set<PortPeer> seen = new HashSet<>();
        for (Switch node : all) {
            int part = Objects.requireNonNull(partOf.get(node.id()));
            for (SwitchPort port : node.ports()) {
                PortPeer device = deviceAt(port, partOf);
                if (device != null && seen.add(device)) {
                    String host = port.peerHost() == null ? device.id() : port.peerHost();
                    devices.computeIfAbsent(host, h -> new TreeMap<>()).merge(part, 1, Integer::sum);
                    partsOfCards
                            .computeIfAbsent(host, h -> new HashMap<>())
                            .computeIfAbsent(device.id(), card -> new TreeSet<>())
                            .add(part);
                    speeds.get(part).merge(Objects.requireNonNullElse(port.speedBitsPerSecond(), 0L), 1, Integer::sum);
                }
            }
        }
        devices.values().forEach(this::countHost);
        partsOfCards.values().forEach(cards -> {
            Set<Long> pairs = new HashSet<>();
            cards.values().stream()
                    .filter(in -> in.size() > 1 && in.size() <= MAX_PLANES)
                    .forEach(in -> in.forEach(one -> in.stream()
                            .filter(other -> one < other)
                            .forEach(other -> pairs.add((long) one << 32 | other))));
            pairs.forEach(pair -> byCard.merge(pair, 1, Integer::sum));
        });
    }

    private static @Nullable PortPeer deviceAt(SwitchPort port, Map<String, Integer> partOf) {
        PortPeer peer = port.peer();
        boolean isDevice = peer != null
                && port.state() != PortState.Down
                && port.peerType() != NodeType.Switch
                && !partOf.containsKey(peer.id());
        return isDevice ? peer : null;
    }

    private void countHost(Map<Integer, Integer> devicesByPart) {
        devicesByPart.keySet().forEach(part -> hosts[part]++);
        if (devicesByPart.size() > MAX_PLANES) {
            return;
        }
        devicesByPart.forEach((one, devices) -> devicesByPart.forEach((other, more) -> {
            if (one < other) {
                inBoth.merge((long) one << 32 | other, 1, Integer::sum);
                evenly.merge((long) one << 32 | other, devices.equals(more) ? 1 : 0, Integer::sum);
            }
        }));
    }

    private boolean arePlanes(long pair, int both) {
        int one = (int) (pair >>> 32);
        int other = (int) pair;
        return both >= FEWEST_HOSTS
                && both >= SAME_HOSTS * (hosts[one] + hosts[other] - both)
                && evenly.getOrDefault(pair, 0) >= EVENLY * both
                && Math.min(switches[one], switches[other]) >= SAME_SIZE * Math.max(switches[one], switches[other])
                && usual(speeds.get(one)) == usual(speeds.get(other))
                && (byCard.getOrDefault(pair, 0) >= SAME_HOSTS * both
                        || Math.min(switches[one], switches[other]) > 1 && usual(speeds.get(one)) > 0);
    }

    /** What most have; the lowest of several. */
    private static long usual(Map<Long, Integer> counts) {
        return MostFrequent.of(counts, Comparator.naturalOrder()).orElse(0L);
    }
}
