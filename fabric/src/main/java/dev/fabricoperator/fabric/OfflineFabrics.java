/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Components;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Fabrics from a dump alone, with no host and no cluster to ask: one per connected part that holds devices. */
public final class OfflineFabrics {
    private OfflineFabrics() {}

    /**
     * Largest first. Switches without any device in reach belong to no fabric, adapter ports without a cable neither;
     * adapters that are cabled to each other only make a fabric without switches.
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
        Set<String> adapters = cabling.adapters().stream().map(Adapter::id).collect(Collectors.toSet());
        Map<String, Switch> switches = HashMap.newHashMap(cabling.switches().size());
        cabling.switches().forEach(s -> switches.put(s.id(), s));
        List<OfflineFabric> fabrics = new ArrayList<>();
        Map<Family, Integer> numbers = new EnumMap<>(Family.class);
        for (Components.Part part : Components.parts(cabling.switches())) {
            List<OfflineDevice> held = new ArrayList<>(part.ends().size());
            for (PortPeer end : part.ends()) {
                OfflineDevice device = devices.remove(end);
                if (device != null) {
                    held.add(device);
                }
            }
            if (!held.isEmpty()) {
                List<Switch> own = part.switches().stream().map(switches::get).toList();
                fabrics.add(fabric(numbers, held, own));
            }
        }
        List<OfflineDevice> backToBack = devices.values().stream()
                .filter(device -> {
                    PortPeer peer = device.peer();
                    return peer != null && adapters.contains(peer.id());
                })
                .toList();
        if (!backToBack.isEmpty()) {
            fabrics.add(fabric(numbers, backToBack, List.of()));
        }
        return List.copyOf(fabrics);
    }

    private static OfflineFabric fabric(Map<Family, Integer> numbers, List<OfflineDevice> held, List<Switch> switches) {
        List<OfflineDevice> sorted = OfflineDevice.sorted(held);
        List<Vertex> vertices = new ArrayList<>(sorted.size());
        for (OfflineDevice device : sorted) {
            vertices.add(new Vertex(
                    vertices.size(),
                    device.id(),
                    device.port(),
                    emptyToNull(device.hostname()),
                    emptyToNull(device.osName())));
        }
        Family family = sorted.getFirst().family();
        int number = numbers.merge(family, 1, Integer::sum) - 1;
        return new OfflineFabric(
                family.name().toLowerCase(Locale.ROOT) + "-" + number,
                sorted,
                switches,
                FabricModel.of(switches, vertices));
    }

    private static @Nullable String emptyToNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
