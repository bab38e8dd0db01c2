/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.lldp;

import dev.fabricoperator.fabric.cabling.NodeId;
import dev.fabricoperator.fabric.cabling.lldp.LldpNeighbor;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A system that speaks LLDP: what its neighbours heard of it, and what it says itself. */
final class LldpSystem {
    /** As Cumulus Linux describes itself; the last word is the model. */
    private static final Pattern HARDWARE = Pattern.compile(" running on ([^()]+) (\\S+)$");

    private static final Pattern DIGITS = Pattern.compile("\\d+");
    private static final int MAX_PORTS_OF_FAMILY = 64;

    private final String id;
    private final @Nullable String name;
    private final int line;
    private final Set<String> announcedPorts = new LinkedHashSet<>();
    private final Set<String> ownPorts = new LinkedHashSet<>();
    /** IDs of the ports that a name stands for, where the name is not an ID itself. */
    private final Map<String, Set<String>> idsOfNames = new HashMap<>();

    private final Set<String> capabilities = new TreeSet<>();
    private final Set<String> deviceTypes = new TreeSet<>();
    private @Nullable String description;
    private @Nullable String vendor;
    private @Nullable String model;
    private int reports;
    private int macs;
    SystemKind kind = SystemKind.UNKNOWN;

    LldpSystem(String id, @Nullable String name, int line) {
        this.id = id;
        this.name = name;
        this.line = line;
    }

    String id() {
        return id;
    }

    @Nullable
    String name() {
        return name;
    }

    int line() {
        return line;
    }

    /** How many neighbours report it. */
    int reports() {
        return reports;
    }

    @Nullable
    String vendor() {
        return vendor;
    }

    @Nullable
    String model() {
        return model;
    }

    /** What a neighbour heard of it. */
    void collect(LldpNeighbor neighbor) {
        reports++;
        capabilities.addAll(neighbor.capabilities());
        if (neighbor.deviceType() != null) {
            deviceTypes.add(neighbor.deviceType());
        }
        macs += neighbor.portId() != null && NodeId.mac(neighbor.portId().strip()) != null ? 1 : 0;
        String port = neighbor.port();
        if (port != null) {
            announcedPorts.add(port);
            idsOfNames.computeIfAbsent(port, name -> new HashSet<>()).add(String.valueOf(neighbor.portId()));
        }
        if (description == null && neighbor.chassisDescription() != null) {
            description = neighbor.chassisDescription();
            Matcher hardware = HARDWARE.matcher(description);
            if (hardware.find()) {
                vendor = hardware.group(1);
                model = hardware.group(2);
            }
        }
    }

    /** A port on which it hears neighbours itself. */
    void ownPort(String port) {
        ownPorts.add(port);
    }

    /** What it calls the port that {@code neighbor} heard of. */
    @Nullable
    String portOf(LldpNeighbor neighbor) {
        String port = neighbor.port();
        if (port == null || ownPorts.contains(port)) {
            return port;
        }
        for (String other : new String[] {neighbor.portId(), neighbor.portDescription()}) {
            if (other != null && ownPorts.contains(other)) {
                return other;
            }
        }
        // A person's words that several ports have in common, such as the network that they are for, name none of them.
        return idsOfNames.getOrDefault(port, Set.of()).size() > 1 && neighbor.portId() != null
                ? neighbor.portId().strip()
                : port;
    }

    void classify() {
        Set<String> ports = new LinkedHashSet<>(announcedPorts);
        ports.addAll(ownPorts);
        kind = SystemKind.of(ports, capabilities, deviceTypes, description == null ? "" : description);
    }

    /** Whether all of its ports go by MACs, as lldpd on Linux has it. */
    boolean announcesMacs() {
        return reports > 0 && macs == reports;
    }

    /** Whether it may be a switch: it says that it forwards, or numbers its ports. */
    boolean forwards() {
        return capabilities.contains("Bridge")
                || capabilities.contains("Router")
                || announcedPorts.stream().anyMatch(SystemKind::isNumberedPort)
                || ownPorts.stream().anyMatch(SystemKind::isNumberedPort);
    }

    /** What systems have in common that call their ports alike and do the same. */
    String family() {
        Set<String> ports = announcedPorts.isEmpty() ? ownPorts : announcedPorts;
        Set<String> letters = new TreeSet<>();
        ports.stream()
                .limit(MAX_PORTS_OF_FAMILY)
                .forEach(port -> letters.add(
                        NodeId.mac(port) != null ? "mac" : DIGITS.matcher(port).replaceAll("#")));
        return letters + " " + capabilities;
    }

    /** Whether a port is the administrator's, on a switch that has others. */
    boolean isManagementPort(String port) {
        return kind == SystemKind.SWITCH
                && SystemKind.isManagementPort(port)
                && (announcedPorts.stream().anyMatch(SystemKind::isSwitchPort)
                        || ownPorts.stream().anyMatch(SystemKind::isSwitchPort));
    }

    @Override
    public String toString() {
        return name == null ? id : name;
    }
}
