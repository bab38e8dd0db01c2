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
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.Node.Cable;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.Node.Kind;
import dev.fabricoperator.fabric.device.PortState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Holds the records of a dump against each other and makes cabling of them. */
final class Assembly {
    /** Ports without a cable are listed up to here; the standard allows 254, hardware has up to four. */
    private static final int ADAPTER_PORTS_LISTED = 8;

    /** 0xbfff is the highest unicast LID. */
    private static final int MAX_LID = 0xbfff;

    private static final int MAX_PROBLEMS = 1000;

    private final String file;
    private final Map<String, Node> nodes;
    private final List<Problem> problems;
    private final BoundedLines lines;
    private final Map<String, HostName> hosts = new HashMap<>();
    private final Map<String, String> chassis = new HashMap<>();

    Assembly(String file, Map<String, Node> nodes, List<Problem> problems, BoundedLines lines) {
        this.file = file;
        this.nodes = nodes;
        this.problems = problems;
        this.lines = lines;
    }

    Cabling cabling() throws BadInputException {
        if (nodes.isEmpty()) {
            throw lines.bad("no node is described: the dump is empty");
        }
        checkCables();
        findHosts();
        findChassis();
        List<Switch> switches = new ArrayList<>();
        List<Adapter> adapters = new ArrayList<>();
        int aggregationNodes = 0;
        for (Node node : nodes.values()) {
            if (node.kind == Kind.SWITCH) {
                switches.add(toSwitch(node));
            } else if (node.isAggregation()) {
                aggregationNodes++;
            } else if (node.kind == Kind.ADAPTER) {
                adapters.add(toAdapter(node));
            } else {
                problem(node.line, "router " + node.guid + " leads to another subnet and is left out");
            }
        }
        switches.sort(Comparator.comparing(Switch::id));
        adapters.sort(Comparator.comparing(Adapter::id));
        return new Cabling(IbnetdiscoverReader.SOURCE, switches, adapters, aggregationNodes, problems);
    }

    private void checkCables() throws BadInputException {
        Node last = null;
        boolean any = false;
        for (Node node : nodes.values()) {
            last = node;
        }
        for (Node node : nodes.values()) {
            for (Map.Entry<Integer, Cable> entry : node.cables.entrySet()) {
                any = true;
                checkCable(node, entry.getKey(), entry.getValue(), last);
            }
        }
        if (!any) {
            throw lines.bad("no cable is described: the dump is cut or torn");
        }
    }

    private void checkCable(Node node, int port, Cable cable, @Nullable Node last) throws BadInputException {
        PortPeer far = cable.peer();
        Node peer = nodes.get(far.id());
        if (peer == null || peer.kind != cable.peerKind()) {
            throw bad(cable, "a cable to node " + far.id() + ", which has no record: the dump is cut or torn");
        }
        if (far.port() > peer.portCount) {
            throw bad(cable, "a cable to port " + far.port() + " of " + far.id() + ", which has " + peer.portCount);
        }
        Cable back = peer.cables.get(far.port());
        if (back == null) {
            if (peer == last) {
                throw bad(cable, "the last record, of " + far.id() + ", lacks the cable to this port: the dump is cut");
            }
            problem(cable.line(), "a cable that only " + node.guid + " mentions, not " + far.id());
        } else if (!back.peer().id().equals(node.guid) || back.peer().port() != port) {
            problem(cable.line(), "a cable whose far end names another one on line " + back.line());
        } else if (cable.line() < back.line() && !sameRate(cable, back)) {
            if (!lines.terminated() && back.line() == lines.number()) {
                throw bad(back, "the last line contradicts the link's rate of line " + cable.line() + ": it is cut");
            }
            problem(back.line(), "the link has another rate on line " + cable.line());
        }
    }

    private static boolean sameRate(Cable one, Cable other) {
        return one.rate() == null || other.rate() == null || one.rate().equals(other.rate());
    }

    private Switch toSwitch(Node node) {
        Product product = Product.of(node.description, node.header.vendorId, node.header.deviceId);
        List<SwitchPort> ports = new ArrayList<>(node.cables.size());
        node.cables.forEach((number, cable) -> {
            HostName host = hostOfPeer(cable);
            ports.add(new SwitchPort(
                    number,
                    peerOf(cable),
                    // The sweep crossed the link; a LID at its far end means that the subnet manager did, too.
                    cable.peerLid() > 0 ? PortState.Active : PortState.Unknown,
                    speed(cable),
                    width(cable),
                    lid(node.lid),
                    host == null ? null : host.host(),
                    host == null ? null : host.osName()));
        });
        return new Switch(
                node.guid,
                product.name(),
                product.vendor(),
                product.model(),
                chassis.get(node.guid),
                IbnetdiscoverReader.SOURCE,
                ports);
    }

    private Adapter toAdapter(Node node) {
        HostName host = hosts.get(node.guid);
        List<AdapterPort> ports = new ArrayList<>(node.cables.size());
        int listed = Math.min(node.portCount, ADAPTER_PORTS_LISTED);
        for (int number = 1; number <= listed; number++) {
            if (!node.cables.containsKey(number)) {
                ports.add(new AdapterPort(number, null, null, null, null, null));
            }
        }
        node.cables.forEach((number, cable) -> ports.add(new AdapterPort(
                number, cable.portGuid(), lid(cable.lid()), speed(cable), width(cable), peerOf(cable))));
        ports.sort(Comparator.comparingInt(AdapterPort::number));
        return new Adapter(
                node.guid,
                host == null ? null : host.host(),
                host == null ? null : host.osName(),
                node.description,
                node.header.vendorId,
                node.header.deviceId,
                node.header.systemImageGuid,
                ports);
    }

    private @Nullable HostName hostOfPeer(Cable cable) {
        return cable.peerKind() == Kind.ADAPTER ? hosts.get(cable.peer().id()) : null;
    }

    private void findHosts() {
        for (Node node : nodes.values()) {
            HostName host = node.kind == Kind.ADAPTER && !node.isAggregation() ? HostName.of(node.description) : null;
            if (host != null) {
                hosts.put(node.guid, host);
            }
        }
    }

    /**
     * A director's switches have one system image GUID, or stand under one {@code Chassis} line where the tool was told
     * to group; what stands alone in its chassis is a box of its own. The id is that GUID, else the smallest switch's.
     */
    private void findChassis() {
        Map<String, List<String>> members = new TreeMap<>();
        for (Node node : nodes.values()) {
            if (node.kind == Kind.SWITCH && node.header.systemImageGuid != null) {
                members.computeIfAbsent(node.header.systemImageGuid, id -> new ArrayList<>())
                        .add(node.guid);
            }
        }
        members.forEach(this::putChassis);
        Map<Integer, List<String>> grouped = new TreeMap<>();
        for (Node node : nodes.values()) {
            if (node.kind == Kind.SWITCH && node.header.chassisNumber > 0) {
                grouped.computeIfAbsent(node.header.chassisNumber, n -> new ArrayList<>())
                        .add(node.guid);
            }
        }
        grouped.values().forEach(switches -> {
            String id = switches.stream()
                    .map(chassis::get)
                    .filter(Objects::nonNull)
                    .min(Comparator.naturalOrder())
                    .orElseGet(() -> Collections.min(switches));
            putChassis(id, switches);
        });
    }

    private void putChassis(String id, List<String> switches) {
        if (switches.size() > 1) {
            switches.forEach(guid -> chassis.put(guid, id));
        }
    }

    private @Nullable PortPeer peerOf(Cable cable) {
        Node peer = nodes.get(cable.peer().id());
        boolean counts = peer != null && peer.kind != Kind.ROUTER && !peer.isAggregation();
        return counts ? cable.peer() : null;
    }

    private static @Nullable Long speed(Cable cable) {
        return cable.rate() == null ? null : cable.rate().bitsPerSecond();
    }

    private static @Nullable Integer width(Cable cable) {
        return cable.rate() == null ? null : Integer.valueOf(cable.rate().width());
    }

    private static @Nullable Integer lid(int lid) {
        return lid > 0 && lid <= MAX_LID ? Integer.valueOf(lid) : null;
    }

    private void problem(int line, String message) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(new Problem(line, message));
        }
    }

    private BadInputException bad(Cable cable, String wrong) {
        return new BadInputException(file, cable.line(), wrong);
    }
}
