/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.ufm;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A cabling in the words of UFM's REST interface: hosts with several adapters under one GUID, adapters' ports by the ports'
 * GUIDs, a switch's ports by the switch's.
 */
final class UfmWriter {
    private final Map<PortPeer, String> names = new HashMap<>();
    private final Map<PortPeer, String> descriptions = new HashMap<>();
    private final Map<PortPeer, String> systemOf = new HashMap<>();
    private final Map<String, List<String>> hosts = new TreeMap<>();
    private final Map<String, String> hostNames = new HashMap<>();
    private final Cabling cabling;

    UfmWriter(Cabling cabling) {
        this.cabling = cabling;
        Map<String, String> systemGuids = new HashMap<>();
        for (Switch said : cabling.switches()) {
            for (SwitchPort port : said.ports()) {
                PortPeer end = new PortPeer(said.id(), port.number());
                names.put(end, said.id() + "_" + port.number());
                descriptions.put(end, said.name() + ":" + port.number());
                systemOf.put(end, said.id());
            }
        }
        for (Adapter adapter : cabling.adapters()) {
            String host = adapter.hostname() == null ? adapter.id() : adapter.hostname();
            String system = systemGuids.computeIfAbsent(host, h -> adapter.id());
            hostNames.put(system, adapter.hostname() == null ? String.valueOf(adapter.description()) : host);
            for (AdapterPort port : adapter.ports()) {
                PortPeer end = new PortPeer(adapter.id(), port.number());
                String guid = port.portGuid() == null ? adapter.id() : port.portGuid();
                names.put(end, guid + "_" + port.number());
                descriptions.put(end, String.valueOf(adapter.description()));
                systemOf.put(end, system);
                if (port.peer() != null) {
                    hosts.computeIfAbsent(system, s -> new ArrayList<>()).add(guid + "_" + port.number());
                }
            }
        }
    }

    String systems() {
        List<String> systems = new ArrayList<>();
        for (Switch said : cabling.switches()) {
            List<String> ports = said.ports().stream()
                    .map(port -> "\"" + said.id() + "_" + port.number() + "\"")
                    .toList();
            systems.add(system(said.id(), "switch", said.name(), said.vendor(), said.model(), ports));
        }
        hosts.forEach((guid, ports) -> systems.add(system(
                guid,
                "host",
                hostNames.get(guid),
                "Mellanox",
                "Computer",
                ports.stream().map(port -> "\"" + port + "\"").toList())));
        return "[" + String.join(",\n", systems) + "]";
    }

    private static String system(
            String guid,
            String type,
            @Nullable String name,
            @Nullable String vendor,
            @Nullable String model,
            List<String> ports) {
        return "{\"total_alarms\": 0, \"guid\": \"%s\", \"system_guid\": \"%s\", \"name\": \"%s\", \"type\": \"%s\", "
                        .formatted(guid, guid, guid, type)
                + "\"system_name\": \"%s\", \"vendor\": \"%s\", \"model\": \"%s\", \"modules\": [], \"ports\": %s}"
                        .formatted(
                                name == null ? "N/A" : name,
                                vendor == null ? "N/A" : vendor,
                                model == null ? "N/A" : model,
                                ports);
    }

    String ports() {
        List<String> ports = new ArrayList<>();
        for (Switch said : cabling.switches()) {
            for (SwitchPort port : said.ports()) {
                PortPeer end = new PortPeer(said.id(), port.number());
                ports.add(port("Switch IB Port", end, port.peer(), port.speedBitsPerSecond(), port.width()));
            }
        }
        for (Adapter adapter : cabling.adapters()) {
            for (AdapterPort port : adapter.ports()) {
                if (port.peer() != null) {
                    PortPeer end = new PortPeer(adapter.id(), port.number());
                    ports.add(port("Computer IB Port", end, port.peer(), port.speedBitsPerSecond(), port.width()));
                }
            }
        }
        return "[" + String.join(",\n", ports) + "]";
    }

    private String port(
            String description, PortPeer end, @Nullable PortPeer peer, @Nullable Long speed, @Nullable Integer width) {
        String name = Objects.requireNonNull(names.get(end));
        String far = peer == null
                ? "\"peer\": \"N/A\""
                : "\"peer\": \"" + names.get(peer) + "\", \"peer_node_guid\": \"" + peer.id() + "\"";
        return "{\"name\": \"%s\", \"guid\": \"%s\", \"number\": %d, \"systemID\": \"%s\", \"description\": \"%s\", "
                        .formatted(name, name.substring(0, 16), end.port(), systemOf.get(end), description)
                + "\"node_description\": \"%s\", \"dname\": \"%d\", \"logical_state\": \"Active\", "
                        .formatted(descriptions.get(end), end.port())
                + "\"active_speed\": \"%s\", \"active_width\": \"%s\", \"lid\": 0, \"capabilities\": [], %s}"
                        .formatted(speed(speed, width), width == null ? "N/A" : width + "x", far);
    }

    private static String speed(@Nullable Long speed, @Nullable Integer width) {
        long lane = speed == null || width == null ? 0 : speed / width / 1_000_000;
        return switch ((int) lane) {
            case 2_500 -> "SDR";
            case 5_000 -> "DDR";
            case 10_000 -> "QDR";
            case 14_000 -> "FDR";
            case 25_000 -> "EDR";
            case 50_000 -> "HDR";
            case 100_000 -> "NDR";
            default -> "N/A";
        };
    }

    /** Each once, from whichever end comes first. */
    String links() {
        Set<String> adapters = new HashSet<>();
        cabling.adapters().forEach(adapter -> adapters.add(adapter.id()));
        List<String> links = new ArrayList<>();
        for (Switch said : cabling.switches()) {
            for (SwitchPort port : said.ports()) {
                PortPeer end = new PortPeer(said.id(), port.number());
                PortPeer peer = port.peer();
                if (peer == null) {
                    continue;
                }
                boolean first = adapters.contains(peer.id())
                        || said.id().compareTo(peer.id()) < 0
                        || said.id().equals(peer.id()) && port.number() < peer.port();
                if (first) {
                    links.add("{\"source_guid\": \"%s\", \"source_port\": \"%d\", \"destination_guid\": \"%s\", "
                                    .formatted(systemOf.get(end), end.port(), systemOf.get(peer))
                            + "\"destination_port\": \"%d\", \"source_port_dname\": \"%d\", "
                                    .formatted(peer.port(), end.port())
                            + "\"source_port_node_description\": \"%s\", \"destination_port_node_description\": \"%s\", "
                                    .formatted(descriptions.get(end), descriptions.get(peer))
                            + "\"width\": \"IB_4x\", \"severity\": \"Info\", \"name\": \"%s:%s\", \"capabilities\": []}"
                                    .formatted(names.get(end), names.get(peer)));
                }
            }
        }
        return "[" + String.join(",\n", links) + "]";
    }
}
