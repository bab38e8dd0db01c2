/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.ufm;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.CablingCollector.Node;
import dev.fabricoperator.fabric.cabling.CablingCollector.Port;
import dev.fabricoperator.fabric.cabling.HostName;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.UnreadHosts;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.formats.ufm.UfmObjects.End;
import dev.fabricoperator.formats.ufm.UfmObjects.Kind;
import dev.fabricoperator.formats.ufm.UfmObjects.UfmLink;
import dev.fabricoperator.formats.ufm.UfmObjects.UfmPort;
import dev.fabricoperator.formats.ufm.UfmObjects.UfmSystem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Merges UFM's systems, ports and links into cabling. */
final class UfmAssembly {
    /** What has cables from more ports than an adapter has is a switch. */
    private static final int ADAPTER_PORTS = 2;

    private final UfmInventory inventory;
    private final CablingCollector collector;
    private final int lastLine;
    private final AdapterPorts adapterPorts;
    private final Map<Long, UfmSystem> systemOfPort = new HashMap<>();
    private final Map<Long, Kind> kinds = new HashMap<>();
    private final Map<PortId, Port> made = new HashMap<>();
    private final Set<Long> aggregationNodes = new HashSet<>();
    private final Set<Long> routers = new HashSet<>();
    private final Map<Node, String> units = new HashMap<>();
    private final Map<Long, Set<Node>> switchesOfSystem = new HashMap<>();
    private int again;
    private int lineOfFirstAgain;

    UfmAssembly(UfmInventory inventory, CablingCollector collector, int lastLine) {
        this.inventory = inventory;
        this.collector = collector;
        this.lastLine = lastLine;
        this.adapterPorts = new AdapterPorts(inventory);
    }

    Cabling cabling() throws BadInputException {
        for (UfmSystem system : inventory.systems.values()) {
            for (PortId port : system.ports()) {
                systemOfPort.putIfAbsent(port.guid(), system);
            }
        }
        recordKinds();
        for (UfmLink link : inventory.links) {
            join(link);
        }
        if (again > 0) {
            collector.problem(lineOfFirstAgain, again + " links are there more than once");
        }
        inventory.tellUnknownRates();
        addPorts();
        addSystems();
        tellUnknown();
        tellHostless();
        findChassis();
        if (!routers.isEmpty()) {
            collector.problem(lastLine, routers.size() + " routers lead to other subnets and are left out");
        }
        Cabling built = collector.build();
        return new Cabling(
                built.source(), built.switches(), built.adapters(), aggregationNodes.size(), built.problems());
    }

    /** In the order of reliability: types of systems, types of ports, patterns of descriptions. */
    private void recordKinds() {
        for (UfmPort port : inventory.ports.values()) {
            recordKind(port.id(), port.system(), port.kind());
        }
        for (UfmLink link : inventory.links) {
            recordKind(link.source().port(), link.source().system(), Kind.UNKNOWN);
            recordKind(link.destination().port(), link.destination().system(), Kind.UNKNOWN);
        }
        for (UfmPort port : inventory.ports.values()) {
            recordKind(end(port));
            if (port.peer() != null) {
                recordKind(port.peer(), 0, Kind.UNKNOWN);
                recordKind(peerEnd(port, port.peer()));
            }
        }
        for (UfmLink link : inventory.links) {
            recordKind(link.source());
            recordKind(link.destination());
        }
    }

    private void recordKind(End end) {
        Kind described = Description.of(end).kind();
        if (described == Kind.AGGREGATION) {
            kinds.put(end.port().guid(), described);
        } else if (described != Kind.UNKNOWN) {
            kinds.putIfAbsent(end.port().guid(), described);
        }
    }

    private void recordKind(PortId port, long systemGuid, Kind otherwise) {
        UfmSystem system = system(port, systemGuid);
        Kind kind = system != null && system.kind() != Kind.UNKNOWN ? system.kind() : otherwise;
        if (kind != Kind.UNKNOWN) {
            kinds.putIfAbsent(port.guid(), kind);
        }
    }

    private @Nullable UfmSystem system(PortId port, long systemGuid) {
        UfmSystem system = systemOfPort.get(port.guid());
        if (system == null && systemGuid != 0) {
            system = inventory.system(systemGuid);
        }
        return system == null ? inventory.system(port.guid()) : system;
    }

    private static End end(UfmPort port) {
        return new End(port.id(), port.system(), port.label(), port.description());
    }

    private End peerEnd(UfmPort port, PortId peer) {
        UfmPort far = inventory.ports.get(peer);
        return far != null ? end(far) : new End(peer, 0, port.peerLabel(), port.peerDescription());
    }

    private void join(UfmLink link) throws BadInputException {
        Port one = port(link.source(), link.line());
        Port other = port(link.destination(), link.line());
        warnOfUnknown(link.source(), link.line());
        warnOfUnknown(link.destination(), link.line());
        setWidth(one, link.width());
        setWidth(other, link.width());
        if (one == null || other == null) {
            return;
        }
        boolean before = one.hasCable() && other.hasCable();
        String contradiction = collector.join(one, other);
        if (contradiction != null) {
            collector.problem(link.line(), contradiction + "; this one is left out");
        } else if (before && again++ == 0) {
            lineOfFirstAgain = link.line();
        }
    }

    private static void setWidth(@Nullable Port port, @Nullable Integer width) {
        if (port != null && port.width == null) {
            port.width = width;
        }
    }

    /** Where systems or ports are given, they describe whatever a cable leads to. */
    private void warnOfUnknown(End end, int line) {
        boolean complete = !inventory.systems.isEmpty() || !inventory.ports.isEmpty();
        if (complete && !inventory.ports.containsKey(end.port()) && system(end.port(), end.system()) == null) {
            collector.problem(line, "a link to " + end.port() + ", which neither a system nor a port describes");
        }
    }

    private void addPorts() throws BadInputException {
        for (UfmPort reported : inventory.ports.values()) {
            Port port = port(end(reported), reported.line());
            if (port == null) {
                continue;
            }
            port.state = reported.state();
            port.speedBitsPerSecond = reported.speedBitsPerSecond();
            port.width = reported.width() == null ? port.width : reported.width();
            port.lid = reported.lid();
        }
        for (UfmPort reported : inventory.ports.values()) {
            if (reported.peer() != null) {
                joinPeer(reported, reported.peer());
            }
        }
    }

    private void joinPeer(UfmPort reported, PortId peer) throws BadInputException {
        Port one = port(end(reported), reported.line());
        Port other = port(peerEnd(reported, peer), reported.line());
        if (one == null || other == null) {
            return;
        }
        boolean known = one.hasCable();
        if (!known && reported.state() == PortState.Down) {
            collector.problem(reported.line(), reported.id() + " is down; its last cable is left out");
            return;
        }
        String contradiction = collector.join(one, other);
        if (contradiction != null) {
            collector.problem(reported.line(), contradiction + "; this one is left out");
            return;
        }
        if (known) {
            return;
        }
        UfmPort far = inventory.ports.get(peer);
        if (far == null || !reported.id().equals(far.peer())) {
            collector.problem(reported.line(), "a cable that only " + reported.id() + " mentions, not " + peer);
        } else if (!inventory.links.isEmpty()) {
            collector.problem(
                    reported.line(), "a cable from " + reported.id() + " to " + peer + " that is not among the links");
        }
    }

    private void addSystems() throws BadInputException {
        for (UfmSystem system : inventory.systems.values()) {
            for (PortId id : system.ports()) {
                if (!made.containsKey(id)) {
                    port(new End(id, system.guid(), null, null), system.line());
                }
            }
            if (system.ports().isEmpty()
                    && system.kind() == Kind.SWITCH
                    && !switchesOfSystem.containsKey(system.guid())) {
                describe(collector.node(PortId.text(system.guid()), system.line()), Kind.SWITCH, system, null);
            }
        }
    }

    /** The port in the collector, made when it is new; {@code null} for one of what is neither switch nor device. */
    private @Nullable Port port(End end, int line) throws BadInputException {
        Port known = made.get(end.port());
        if (known != null) {
            return known;
        }
        Kind kind = kinds.getOrDefault(end.port().guid(), Kind.UNKNOWN);
        if (kind.isLeftOut()) {
            (kind == Kind.ROUTER ? routers : aggregationNodes).add(end.port().guid());
            return null;
        }
        Description description = Description.of(end);
        UfmSystem system = system(end.port(), end.system());
        PortId place = kind == Kind.DEVICE ? adapterPorts.resolve(end, description.host()) : end.port();
        Node node = collector.node(PortId.text(place.guid()), line);
        describe(node, kind, system, description);
        long group = system == null ? end.system() : system.guid();
        if (kind != Kind.DEVICE && group != 0) {
            switchesOfSystem.computeIfAbsent(group, guid -> new HashSet<>()).add(node);
        }
        Port port = collector.port(node, Integer.toString(place.number()), line);
        if (kind == Kind.DEVICE) {
            port.guid = PortId.text(end.port().guid());
        }
        made.put(end.port(), port);
        return port;
    }

    private void describe(Node node, Kind kind, @Nullable UfmSystem system, @Nullable Description description) {
        if (kind == Kind.DEVICE) {
            node.asDevice();
            HostName host = host(system, description);
            if (node.hostname == null && host != null) {
                node.hostname = host.host();
                node.osName = host.osName();
            }
            if (node.name == null && description != null) {
                node.name = description.text();
            }
            return;
        }
        if (node.name == null) {
            String name = system == null || system.kind() == Kind.DEVICE ? null : system.name();
            node.name = name != null || description == null ? name : description.text();
        }
        if (description != null && description.unit() != null) {
            units.putIfAbsent(node, description.unit());
        }
        if (system != null && system.kind() != Kind.DEVICE) {
            node.vendor = system.vendor();
            node.model = system.model();
        }
    }

    private static @Nullable HostName host(@Nullable UfmSystem system, @Nullable Description description) {
        if (description != null && description.host() != null) {
            return description.host();
        }
        return system == null || system.kind() == Kind.SWITCH ? null : HostName.of(system.name());
    }

    /** Switches of one system are those of a director. */
    private void findChassis() {
        switchesOfSystem.forEach((guid, nodes) -> {
            if (nodes.size() > 1 && nodes.stream().noneMatch(Node::isDevice)) {
                for (Node node : nodes) {
                    node.chassis = PortId.text(guid);
                    String unit = units.get(node);
                    node.name = node.name == null || unit == null ? node.name : node.name + "/" + unit;
                }
            }
        });
    }

    /** A node of unknown kind with a single cable, to a node that has several, is a device. */
    private void tellUnknown() {
        List<Node> devices = new ArrayList<>();
        for (Node node : collector.nodes()) {
            long guid = PortId.guid(node.id());
            if (!node.isDevice() && kinds.getOrDefault(guid, Kind.UNKNOWN) == Kind.UNKNOWN && hangsOn(node)) {
                devices.add(node);
            }
        }
        devices.forEach(Node::asDevice);
        if (!devices.isEmpty()) {
            collector.problem(
                    lastLine, devices.size() + " nodes with one cable each, of no known kind, are taken for devices");
        }
    }

    private void tellHostless() {
        UnreadHosts unread = new UnreadHosts();
        for (Node node : collector.nodes()) {
            if (node.isDevice() && node.hostname == null) {
                unread.add(node.line(), node.name);
            }
        }
        Problem hosts = unread.problem();
        if (hosts != null) {
            collector.firstProblem(hosts);
        }
    }

    private static boolean hangsOn(Node node) {
        List<Node> far = node.neighbors();
        return !far.isEmpty() && far.size() < ADAPTER_PORTS && far.getFirst().cables() > 1;
    }
}
