/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.NodeId;
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
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
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
        Map<Family, Integer> numbers = new EnumMap<>(Family.class);
        for (Components.Part part : Components.parts(cabling.switches())) {
            List<Held> held = new ArrayList<>();
            for (PortPeer end : part.ends()) {
                Device device = devices.remove(end);
                if (device != null) {
                    held.add(new Held(end.id(), device));
                }
            }
            if (!held.isEmpty()) {
                List<Switch> own = part.switches().stream().map(switches::get).toList();
                fabrics.add(fabric(numbers, held, own));
            }
        }
        List<Held> backToBack = devices.entrySet().stream()
                .map(entry -> new Held(entry.getKey().id(), entry.getValue()))
                .filter(h -> h.device.neighbor() != null
                        && !switches.containsKey(h.device.neighbor().id()))
                .toList();
        if (!backToBack.isEmpty()) {
            fabrics.add(fabric(numbers, backToBack, List.of()));
        }
        return List.copyOf(fabrics);
    }

    /** A device, and how cables name it. */
    private record Held(String id, Device device) {}

    private static OfflineFabric fabric(Map<Family, Integer> numbers, List<Held> held, List<Switch> switches) {
        List<Held> sorted = new ArrayList<>(held);
        sorted.sort(Comparator.comparing(Held::device, Device.OFFLINE_ORDER).thenComparing(Held::id));
        List<Vertex> vertices = new ArrayList<>(sorted.size());
        for (Held one : sorted) {
            Device device = one.device;
            vertices.add(new Vertex(
                    vertices.size(),
                    one.id,
                    device.port(),
                    emptyToNull(device.hostname()),
                    emptyToNull(device.osName())));
        }
        Family family = sorted.getFirst().device.family();
        int number = numbers.merge(family, 1, Integer::sum) - 1;
        return new OfflineFabric(
                family.name().toLowerCase(Locale.ROOT) + "-" + number,
                sorted.stream().map(Held::device).toList(),
                switches,
                FabricModel.of(switches, vertices));
    }

    /**
     * What a source says of a device, and what follows from its id: a node GUID is that of an RDMA device, a MAC that of a
     * network device, and {@code host/osName} is named as PMIx names a device without either.
     */
    private static Device device(String source, Adapter adapter, AdapterPort port) {
        PortPeer peer = port.peer();
        String guid = NodeId.guid(adapter.id());
        String mac = guid == null ? NodeId.mac(adapter.id()) : null;
        String hostname = adapter.hostname() == null ? "" : adapter.hostname();
        String osName = adapter.osName() == null ? "" : adapter.osName();
        // LLDP is spoken on Ethernet only. Who names hosts otherwise does not say on what.
        boolean ethernet = guid == null && (mac != null || source.equals("lldp"));
        return DeviceBuilder.builder()
                .hostname(hostname)
                .osName(osName)
                .port(port.number())
                .deviceId(deviceId(adapter, port, guid, mac))
                .source(source)
                .type(ethernet ? DeviceType.Network : DeviceType.OpenFabrics)
                .family(ethernet ? Family.Ethernet : Family.InfiniBand)
                .function(Function.Physical)
                .role(Role.Fabric)
                .linkLayer(ethernet ? "Ethernet" : guid != null ? "InfiniBand" : null)
                .vendor("2c9".equals(adapter.vendorId()) ? "Mellanox" : null)
                .nodeGuid(guid)
                .systemImageGuid(adapter.systemImageGuid())
                .portGuid(port.portGuid())
                .netdev(ethernet ? emptyToNull(osName) : null)
                .macAddress(mac)
                .lid(port.lid())
                .speedBitsPerSecond(port.speedBitsPerSecond())
                .width(port.width())
                .state(
                        peer != null && (port.lid() != null || source.equals("lldp"))
                                ? PortState.Active
                                : PortState.Unknown)
                .neighbor(peer == null ? null : new Neighbor(peer.id(), String.valueOf(peer.port()), source))
                .build();
    }

    /** Appends {@code 0002c90300f9bfa0} as sysfs prints it: {@code 0002:c903:00f9:bfa0}. */
    private static void appendColons(StringBuilder to, String guid) {
        for (int from = 0; from < guid.length(); from += 4) {
            to.append(from > 0 ? ":" : "").append(guid, from, Math.min(from + 4, guid.length()));
        }
    }

    private static String deviceId(Adapter adapter, AdapterPort port, @Nullable String guid, @Nullable String mac) {
        StringBuilder id = new StringBuilder(56);
        if (guid != null) {
            appendColons(id.append("fab://"), guid);
            appendColons(id.append("::"), adapter.systemImageGuid() == null ? NO_GUID : adapter.systemImageGuid());
        } else if (mac != null) {
            id.append("ipv4://").append(mac);
        } else if (!isUnknown(adapter.hostname()) && !isUnknown(adapter.osName())) {
            id.append(adapter.osName()).append('@').append(adapter.hostname());
        } else {
            id.append(adapter.id());
        }
        if (adapter.ports().size() > 1) {
            id.append('#').append(port.number());
        }
        return id.toString();
    }

    private static boolean isUnknown(@Nullable String text) {
        return text == null || text.isEmpty();
    }

    private static @Nullable String emptyToNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
