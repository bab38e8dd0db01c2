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
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.Neighbor;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Components;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Fabrics from a dump alone, with no host and no cluster to ask: one per connected part that holds devices. */
public final class OfflineFabrics {
    private static final String NO_GUID = "0".repeat(16);

    private OfflineFabrics() {}

    /**
     * Largest first. Switches without any device in reach belong to no fabric, adapter ports without a cable neither;
     * adapters that are cabled to each other only make a fabric without switches.
     */
    public static List<OfflineFabric> of(Cabling cabling) {
        Map<PortPeer, Device> devices = HashMap.newHashMap(cabling.adapters().size());
        for (Adapter adapter : cabling.adapters()) {
            for (AdapterPort port : adapter.ports()) {
                devices.put(new PortPeer(adapter.id(), port.number()), device(cabling.source(), adapter, port));
            }
        }
        Map<String, Switch> switches = new HashMap<>();
        cabling.switches().forEach(s -> switches.put(s.id(), s));
        List<OfflineFabric> fabrics = new ArrayList<>();
        for (Components.Part part : Components.parts(cabling.switches())) {
            List<Device> held = new ArrayList<>();
            for (PortPeer end : part.ends()) {
                Device device = devices.remove(end);
                if (device != null) {
                    held.add(device);
                }
            }
            if (!held.isEmpty()) {
                List<Switch> own = part.switches().stream().map(switches::get).toList();
                fabrics.add(fabric(fabrics.size(), held, own));
            }
        }
        List<Device> backToBack = devices.values().stream()
                .filter(d -> d.neighbor() != null
                        && !switches.containsKey(d.neighbor().id()))
                .toList();
        if (!backToBack.isEmpty()) {
            fabrics.add(fabric(fabrics.size(), backToBack, List.of()));
        }
        return List.copyOf(fabrics);
    }

    private static OfflineFabric fabric(int number, List<Device> held, List<Switch> switches) {
        List<Device> devices = new ArrayList<>(held);
        devices.sort(Device.OFFLINE_ORDER);
        List<Vertex> vertices = new ArrayList<>(devices.size());
        for (Device device : devices) {
            vertices.add(new Vertex(
                    vertices.size(),
                    device.endId(),
                    device.port(),
                    emptyToNull(device.hostname()),
                    emptyToNull(device.osName())));
        }
        return new OfflineFabric("infiniband-" + number, devices, switches, FabricModel.of(switches, vertices));
    }

    private static Device device(String source, Adapter adapter, AdapterPort port) {
        PortPeer peer = port.peer();
        return DeviceBuilder.builder()
                .hostname(adapter.hostname() == null ? "" : adapter.hostname())
                .osName(adapter.osName() == null ? "" : adapter.osName())
                .port(port.number())
                .deviceId(deviceId(adapter, port))
                .source(source)
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .function(Function.Physical)
                .role(Role.Fabric)
                .linkLayer("InfiniBand")
                .vendor("2c9".equals(adapter.vendorId()) ? "Mellanox" : null)
                .nodeGuid(adapter.id())
                .systemImageGuid(adapter.systemImageGuid())
                .portGuid(port.portGuid())
                .lid(port.lid())
                .speedBitsPerSecond(port.speedBitsPerSecond())
                .width(port.width())
                .state(peer != null && port.lid() != null ? PortState.Active : PortState.Unknown)
                .neighbor(peer == null ? null : new Neighbor(peer.id(), String.valueOf(peer.port()), source))
                .build();
    }

    /** Appends {@code 0002c90300f9bfa0} as sysfs prints it: {@code 0002:c903:00f9:bfa0}. */
    private static void appendColons(StringBuilder to, String guid) {
        for (int from = 0; from < guid.length(); from += 4) {
            to.append(from > 0 ? ":" : "").append(guid, from, Math.min(from + 4, guid.length()));
        }
    }

    private static String deviceId(Adapter adapter, AdapterPort port) {
        StringBuilder id = new StringBuilder(56).append("fab://");
        appendColons(id, adapter.id());
        id.append("::");
        appendColons(id, adapter.systemImageGuid() == null ? NO_GUID : adapter.systemImageGuid());
        if (adapter.ports().size() > 1) {
            id.append('#').append(port.number());
        }
        return id.toString();
    }

    private static @Nullable String emptyToNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
