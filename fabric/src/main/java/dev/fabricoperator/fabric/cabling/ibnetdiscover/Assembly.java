/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.HostName;
import dev.fabricoperator.fabric.cabling.NodeType;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.UnreadHosts;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.Node.Cable;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.Node.Kind;
import dev.fabricoperator.fabric.device.PortState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Holds the records of a dump against each other and makes cabling of them. */
final class Assembly {
    /** Ports without a cable are listed up to here; the standard allows 254, hardware has up to four. */
    private static final int ADAPTER_PORTS_LISTED = 8;

    /** 0xbfff is the highest unicast LID. */
    private static final int MAX_LID = 0xbfff;

    private static final int MAX_PROBLEMS = 1000;

    private final String file;
    private final Nodes nodes;
    private final List<Problem> problems;
    private final BoundedLines lines;

    Assembly(String file, Nodes nodes, List<Problem> problems, BoundedLines lines) {
        this.file = file;
        this.nodes = nodes;
        this.problems = problems;
        this.lines = lines;
    }

    Cabling cabling() throws BadInputException {
        if (nodes.size() == 0) {
            throw lines.bad("no node is described: the dump is empty");
        }
        checkCables();
        UnreadHosts unread = new UnreadHosts();
        for (Node node : nodes.inOrder()) {
            if (node.kind == Kind.ROUTER) {
                problem(node.line, "router " + node.id + " leads to another subnet and is left out");
            } else if (node.kind == Kind.ADAPTER && !node.isAggregation()) {
                node.host = HostName.of(node.description);
                if (node.host == null) {
                    unread.add(node.line, node.description);
                }
            }
        }
        Problem hosts = unread.problem();
        if (hosts != null) {
            // Of many warnings the first are shown.
            problems.addFirst(hosts);
        }
        Node[] ascending = nodes.ascending();
        findChassis(ascending);
        List<Switch> switches = new ArrayList<>();
        List<Adapter> adapters = new ArrayList<>(ascending.length);
        int aggregationNodes = 0;
        for (Node node : ascending) {
            if (node.kind == Kind.SWITCH) {
                switches.add(toSwitch(node));
            } else if (node.isAggregation()) {
                aggregationNodes++;
            } else if (node.kind == Kind.ADAPTER) {
                adapters.add(toAdapter(node));
            }
        }
        return new Cabling(IbnetdiscoverReader.SOURCE, switches, adapters, aggregationNodes, problems);
    }

    private void checkCables() throws BadInputException {
        Node last = nodes.inOrder().getLast();
        boolean any = false;
        for (Node node : nodes.inOrder()) {
            for (int i = 0; i < node.cables(); i++) {
                any = true;
                checkCable(node, node.cable(i), last);
            }
        }
        if (!any) {
            throw lines.bad("no cable is described: the dump is cut or torn");
        }
    }

    private void checkCable(Node node, Cable cable, Node last) throws BadInputException {
        Node peer = cable.far == null ? nodes.get(cable.peer) : cable.far;
        if (peer == null || peer.kind != cable.peerKind) {
            throw bad(
                    cable,
                    "a cable to node " + Guid.text(cable.peer) + ", which has no record: the dump is cut or torn");
        }
        cable.far = peer;
        int port = cable.peerPort;
        if (port > peer.portCount) {
            throw bad(cable, "a cable to port " + port + " of " + peer.id + ", which has " + peer.portCount);
        }
        // What a host's own record says does not become a part of the wiring: only this reader sees it.
        boolean switches = node.kind == Kind.SWITCH && peer.kind == Kind.SWITCH;
        Cable back = peer.cableAt(port);
        if (back == null) {
            if (peer == last) {
                throw bad(cable, "the last record, of " + peer.id + ", lacks the cable to this port: the dump is cut");
            }
            problem(cable.line, "a cable that only " + node.id + " mentions, not " + peer.id, switches);
            return;
        }
        if (!back.leadsTo(node.guid, cable.port)) {
            problem(cable.line, "a cable whose far end names another one on line " + back.line, switches);
            return;
        }
        back.far = node;
        if (cable.line < back.line && !sameRate(cable, back)) {
            if (!lines.terminated() && back.line == lines.number()) {
                throw bad(back, "the last line contradicts the link's rate of line " + cable.line + ": it is cut");
            }
            problem(back.line, "the link has another rate on line " + cable.line);
        }
    }

    private static boolean sameRate(Cable one, Cable other) {
        return one.rate == null
                || other.rate == null
                || one.rate.width() == other.rate.width()
                        && Objects.equals(one.rate.bitsPerSecond(), other.rate.bitsPerSecond());
    }

    private Switch toSwitch(Node node) {
        Product product = Product.of(node.description, node.header.vendorId, node.header.deviceId);
        Integer lid = lid(node.lid);
        SwitchPort[] ports = new SwitchPort[node.cables()];
        for (int i = 0; i < ports.length; i++) {
            Cable cable = node.cable(i);
            Node peer = cable.far;
            HostName host = peer == null ? null : peer.host;
            PortPeer far = peerOf(cable, peer);
            ports[i] = new SwitchPort(
                    cable.port,
                    far,
                    // The sweep crossed the link; a LID at its far end means that the subnet manager did, too.
                    cable.peerLid > 0 ? PortState.Active : PortState.Unknown,
                    speed(cable),
                    width(cable),
                    lid,
                    host == null ? null : host.host(),
                    host == null ? null : host.osName(),
                    far == null ? null : cable.peerKind == Kind.SWITCH ? NodeType.Switch : NodeType.Device);
        }
        return new Switch(
                node.id,
                product.name(),
                product.vendor(),
                product.model(),
                node.chassis,
                IbnetdiscoverReader.SOURCE,
                List.of(ports));
    }

    private Adapter toAdapter(Node node) {
        HostName host = node.host;
        List<AdapterPort> ports = new ArrayList<>(node.cables());
        int listed = Math.min(node.portCount, ADAPTER_PORTS_LISTED);
        int next = 1;
        for (int i = 0; i < node.cables(); i++) {
            Cable cable = node.cable(i);
            addWithoutCables(next, Math.min(listed, cable.port - 1), ports);
            ports.add(new AdapterPort(
                    cable.port,
                    cable.portGuid == 0 ? null : node.text(cable.portGuid),
                    lid(cable.lid),
                    speed(cable),
                    width(cable),
                    peerOf(cable, cable.far)));
            next = cable.port + 1;
        }
        addWithoutCables(next, listed, ports);
        long systemImageGuid = node.header.systemImageGuid;
        return new Adapter(
                node.id,
                host == null ? null : host.host(),
                host == null ? null : host.osName(),
                node.description,
                node.header.vendorId,
                node.header.deviceId,
                systemImageGuid == 0 ? null : node.text(systemImageGuid),
                ports);
    }

    private static void addWithoutCables(int first, int last, List<AdapterPort> ports) {
        for (int number = first; number <= last; number++) {
            ports.add(new AdapterPort(number, null, null, null, null, null));
        }
    }

    /**
     * A director's switches have one system image GUID, or stand under one {@code Chassis} line where the tool was told
     * to group; what stands alone in its chassis is a box of its own. The id is that GUID, else the smallest switch's.
     */
    private static void findChassis(Node[] ascending) {
        Map<Long, List<Node>> members = new HashMap<>();
        Map<Integer, List<Node>> grouped = new HashMap<>();
        for (Node node : ascending) {
            if (node.kind == Kind.SWITCH && node.header.systemImageGuid != 0) {
                members.computeIfAbsent(node.header.systemImageGuid, guid -> new ArrayList<>(1))
                        .add(node);
            }
            if (node.kind == Kind.SWITCH && node.header.chassisNumber > 0) {
                grouped.computeIfAbsent(node.header.chassisNumber, number -> new ArrayList<>(1))
                        .add(node);
            }
        }
        members.forEach((guid, switches) -> putChassis(() -> Guid.text(guid), switches));
        grouped.values().forEach(switches -> putChassis(() -> chassisOf(switches), switches));
    }

    /** The smallest id of a chassis that one of them has already, else of the switches themselves. */
    private static String chassisOf(List<Node> switches) {
        return switches.stream()
                .map(node -> node.chassis)
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElseGet(() -> switches.getFirst().id);
    }

    private static void putChassis(Supplier<String> id, List<Node> switches) {
        if (switches.size() > 1) {
            String chassis = id.get();
            switches.forEach(node -> node.chassis = chassis);
        }
    }

    private static @Nullable PortPeer peerOf(Cable cable, @Nullable Node peer) {
        return peer == null || peer.kind == Kind.ROUTER || peer.isAggregation()
                ? null
                : new PortPeer(peer.id, cable.peerPort);
    }

    private static @Nullable Long speed(Cable cable) {
        return cable.rate == null ? null : cable.rate.bitsPerSecond();
    }

    private static @Nullable Integer width(Cable cable) {
        return cable.rate == null ? null : Integer.valueOf(cable.rate.width());
    }

    private static @Nullable Integer lid(int lid) {
        return lid > 0 && lid <= MAX_LID ? Integer.valueOf(lid) : null;
    }

    private void problem(int line, String message) {
        problem(line, message, false);
    }

    private void problem(int line, String message, boolean wiring) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(new Problem(line, message, wiring));
        }
    }

    private BadInputException bad(Cable cable, String wrong) {
        return new BadInputException(file, cable.line, wrong);
    }
}
