/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.graph.DisjointSets;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Components;
import dev.fabricoperator.fabric.topology.DirectCable;
import dev.fabricoperator.fabric.topology.PlaneParts;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Fabrics from a dump alone, with no host and no cluster to ask: one per connected part that holds devices, and one of parts that are
 * planes of one network.
 */
public final class OfflineFabrics {
    private static final int MAX_NAMES = 4;

    private OfflineFabrics() {}

    /**
     * Largest first, behind these what NVLink joins. Switches without any device in reach belong to no fabric, adapter ports without a cable neither;
     * adapters that are cabled to each other only make fabrics without switches, one of those that cables and hosts join.
     */
    public static List<OfflineFabric> of(Cabling cabling) {
        Map<PortPeer, OfflineDevice> devices =
                HashMap.newHashMap(cabling.adapters().size());
        for (Adapter adapter : cabling.adapters()) {
            for (AdapterPort port : adapter.ports()) {
                devices.put(
                        new PortPeer(adapter.id(), port.number()), OfflineDevice.of(cabling.source(), adapter, port));
            }
        }
        Map<String, Switch> switches = HashMap.newHashMap(cabling.switches().size());
        cabling.switches().forEach(s -> switches.put(s.id(), s));
        List<OfflineFabric> fabrics = new ArrayList<>();
        Map<Family, Integer> numbers = new EnumMap<>(Family.class);
        for (Network network : networks(cabling, devices)) {
            List<Switch> own = network.switches().stream().map(switches::get).toList();
            fabrics.add(fabric(numbers, network.devices(), own));
        }
        for (List<OfflineDevice> pairs : backToBack(devices)) {
            fabrics.add(backToBackFabric(numbers, pairs));
        }
        return List.copyOf(fabrics);
    }

    /** No network is of two families, however alike its parts are. */
    private record NetworkKey(int firstPart, Family family) {}

    /** @param switches their ids, ascending */
    private record Network(List<OfflineDevice> devices, SortedSet<String> switches) {}

    /** Largest first; devices that are in one are taken out of {@code devices}. */
    private static List<Network> networks(Cabling cabling, Map<PortPeer, OfflineDevice> devices) {
        List<Components.Part> parts = Components.parts(cabling.switches());
        int[] first = PlaneParts.firstOfNetwork(parts, cabling.switches());
        Map<NetworkKey, Network> networks = new LinkedHashMap<>();
        for (int part = 0; part < first.length; part++) {
            List<OfflineDevice> held = parts.get(part).ends().stream()
                    .map(devices::remove)
                    .filter(Objects::nonNull)
                    .toList();
            if (!held.isEmpty()) {
                Network network = networks.computeIfAbsent(
                        new NetworkKey(first[part], held.getFirst().family()),
                        n -> new Network(new ArrayList<>(), new TreeSet<>()));
                network.switches().addAll(parts.get(part).switches());
                network.devices().addAll(held);
            }
        }
        return networks.values().stream()
                .sorted(Comparator.comparing((Network network) ->
                                network.devices().getFirst().family() == Family.NVLink)
                        .thenComparingInt(network -> -network.devices().size()))
                .toList();
    }

    /** Devices with cables to each other, those together that cables and hosts join; largest part first. */
    private static List<List<OfflineDevice>> backToBack(Map<PortPeer, OfflineDevice> devices) {
        Map<String, Integer> owners = new HashMap<>();
        devices.values().forEach(device -> owners.putIfAbsent(owner(device), owners.size()));
        DisjointSets sets = new DisjointSets(owners.size());
        Set<PortPeer> cabled = new TreeSet<>(Comparator.comparing(PortPeer::id).thenComparingInt(PortPeer::port));
        devices.forEach((end, device) -> {
            PortPeer peer = device.peer();
            OfflineDevice far = peer == null ? null : devices.get(peer);
            if (peer != null && far != null) {
                cabled.add(end);
                cabled.add(peer);
                sets.join(number(owners, device), number(owners, far));
            }
        });
        Map<Integer, List<OfflineDevice>> parts = new LinkedHashMap<>();
        for (PortPeer end : cabled) {
            OfflineDevice device = devices.get(end);
            if (device != null) {
                parts.computeIfAbsent(sets.root(number(owners, device)), r -> new ArrayList<>())
                        .add(device);
            }
        }
        List<List<OfflineDevice>> sorted = new ArrayList<>(parts.values());
        sorted.sort(Comparator.comparingInt(part -> -part.size()));
        return sorted;
    }

    /** The host of a device, else its adapter. */
    private static String owner(OfflineDevice device) {
        return device.hostname().isEmpty() ? device.id() : "host " + device.hostname();
    }

    private static int number(Map<String, Integer> owners, OfflineDevice device) {
        return Objects.requireNonNull(owners.get(owner(device)));
    }

    private static OfflineFabric backToBackFabric(Map<Family, Integer> numbers, List<OfflineDevice> held) {
        List<OfflineDevice> sorted = OfflineDevice.sorted(held);
        Map<PortPeer, Integer> slots = new HashMap<>();
        sorted.forEach(device -> slots.put(device.end(), slots.size()));
        List<DirectCable> cables = new ArrayList<>();
        for (OfflineDevice device : sorted) {
            int slot = Objects.requireNonNull(slots.get(device.end()));
            Integer far = slots.get(device.peer());
            PortPeer back = far == null ? null : sorted.get(far).peer();
            if (far != null && (back == null || slot < far && back.equals(device.end()))) {
                cables.add(new DirectCable(slot, far, device.speedBitsPerSecond()));
            }
        }
        return new OfflineFabric(
                name(numbers, sorted), sorted, List.of(), FabricModel.backToBack(vertices(sorted), cables));
    }

    private static OfflineFabric fabric(Map<Family, Integer> numbers, List<OfflineDevice> held, List<Switch> switches) {
        List<OfflineDevice> sorted = OfflineDevice.sorted(held);
        return new OfflineFabric(name(numbers, sorted), sorted, switches, FabricModel.of(switches, vertices(sorted)));
    }

    /**
     * What to tell of adapters that have ports in several of the fabrics; {@code null} where there are none.
     */
    public static @Nullable Problem planesApart(List<OfflineFabric> fabrics) {
        if (fabrics.size() < 2) {
            return null;
        }
        Map<String, OfflineFabric> first = new HashMap<>();
        Set<String> across = new HashSet<>();
        Set<String> names = new LinkedHashSet<>();
        for (OfflineFabric fabric : fabrics) {
            for (int end = 0; end < fabric.model().topology().managedEnds(); end++) {
                String id = fabric.model().topology().endId(end);
                OfflineFabric other = first.putIfAbsent(id, fabric);
                if (other != null && other != fabric) {
                    across.add(id);
                    names.add(other.name());
                    names.add(fabric.name());
                }
            }
        }
        return across.isEmpty()
                ? null
                : new Problem(
                        null,
                        (across.size() == 1 ? "1 adapter has" : across.size() + " adapters have")
                                + " ports in several fabrics, which no cable joins: "
                                + String.join(
                                        ", ",
                                        names.stream().sorted().limit(MAX_NAMES).toList())
                                + (names.size() > MAX_NAMES ? " and " + (names.size() - MAX_NAMES) + " more" : "")
                                + "; they are no planes of one network, which have the same hosts, speed and number of switches");
    }

    private static List<Vertex> vertices(List<OfflineDevice> sorted) {
        List<Vertex> vertices = new ArrayList<>(sorted.size());
        for (OfflineDevice device : sorted) {
            vertices.add(new Vertex(
                    vertices.size(),
                    device.id(),
                    device.port(),
                    emptyToNull(device.hostname()),
                    emptyToNull(device.osName())));
        }
        return vertices;
    }

    private static String name(Map<Family, Integer> numbers, List<OfflineDevice> sorted) {
        Family family = sorted.getFirst().family();
        int number = numbers.merge(family, 1, Integer::sum) - 1;
        return family.name().toLowerCase(Locale.ROOT) + "-" + number;
    }

    private static @Nullable String emptyToNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
