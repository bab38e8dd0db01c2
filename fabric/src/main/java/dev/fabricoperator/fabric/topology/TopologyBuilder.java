/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import dev.fabricoperator.fabric.cabling.NodeType;
import dev.fabricoperator.fabric.cabling.NvlinkClique;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Merges what the two ends of each cable say.
 *
 * <p>A port carries one cable. Cables that both ends name come first, then those that one end names, in the order of
 * switch id and port, as long as both ports are still free; what is left contradicts them and is dropped with a
 * problem.
 */
final class TopologyBuilder {
    private static final int MAX_PROBLEMS = 1000;

    record Wiring(
            String[] switchIds,
            @Nullable String[] switchNames,
            Map<String, Integer> switchIndex,
            int[] neighborOffsets,
            int[] neighbors,
            long[] neighborSpeeds,
            int[] cableOffsets,
            int[] cablePorts,
            int[] cableFarPorts,
            long[] cableSpeeds,
            int links,
            int[] endOfSlot,
            int managedEnds,
            String[] endIds,
            int[] endPorts,
            @Nullable String[] endHosts,
            DeviceEnds.HostNumbers hosts,
            @Nullable String[] endOsNames,
            Vertex.Use[] endUses,
            int[] endSwitches,
            int[] endSwitchPorts,
            long[] endSpeeds,
            boolean areCliques,
            List<TopologyProblem> problems) {

        Wiring without(boolean[] uncabled, boolean[] alone) {
            int[] newSwitches = endSwitches.clone();
            int[] newSwitchPorts = endSwitchPorts.clone();
            for (int end = 0; end < newSwitches.length; end++) {
                if (uncabled[end]) {
                    newSwitches[end] = -1;
                    newSwitchPorts[end] = -1;
                }
            }
            int[] offsets = new int[neighborOffsets.length];
            int[] kept = new int[neighbors.length];
            int count = 0;
            for (int s = 0; s < switchIds.length; s++) {
                for (int n = neighborOffsets[s]; n < neighborOffsets[s + 1]; n++) {
                    if (!alone[s] && !alone[neighbors[n]]) {
                        kept[count++] = n;
                    }
                }
                offsets[s + 1] = count;
            }
            int[] newNeighbors = new int[count];
            long[] newSpeeds = new long[count];
            int[] newCableOffsets = new int[count + 1];
            IntStream.Builder cables = IntStream.builder();
            for (int i = 0; i < count; i++) {
                int n = kept[i];
                newNeighbors[i] = neighbors[n];
                newSpeeds[i] = neighborSpeeds[n];
                newCableOffsets[i + 1] = newCableOffsets[i] + cableOffsets[n + 1] - cableOffsets[n];
                for (int cable = cableOffsets[n]; cable < cableOffsets[n + 1]; cable++) {
                    cables.add(cable);
                }
            }
            int[] of = cables.build().toArray();
            return new Wiring(
                    switchIds,
                    switchNames,
                    switchIndex,
                    offsets,
                    newNeighbors,
                    newSpeeds,
                    newCableOffsets,
                    Arrays.stream(of).map(cable -> cablePorts[cable]).toArray(),
                    Arrays.stream(of).map(cable -> cableFarPorts[cable]).toArray(),
                    Arrays.stream(of).mapToLong(cable -> cableSpeeds[cable]).toArray(),
                    links,
                    endOfSlot,
                    managedEnds,
                    endIds,
                    endPorts,
                    endHosts,
                    hosts,
                    endOsNames,
                    endUses,
                    newSwitches,
                    newSwitchPorts,
                    endSpeeds,
                    areCliques,
                    problems);
        }
    }

    private final SortedMap<String, List<SwitchPort>> portsById = new TreeMap<>();
    private final DeviceEnds ends;
    private final Collection<DirectCable> direct;
    private final List<TopologyProblem> problems = new ArrayList<>();
    /** The far ends of the ports that are down. */
    private final Map<PortPeer, PortPeer> downTo = new HashMap<>();

    /** Cables to each switch that no source describes. */
    private final SortedMap<String, Integer> undescribed = new TreeMap<>();

    private final Map<String, Integer> switchIndex;
    private final String[] switchIds;
    private final @Nullable String[] switchNames;
    private final boolean areCliques;

    /** Ports of switch s: entries {@code portBase[s]} to {@code portBase[s + 1]} exclusive, ascending by number. */
    private final int[] portBase;

    private final int[] portNumber;
    private final int[] farSwitch;
    private final int[] farPort;
    private final long[] speed;
    private final boolean[] taken;
    private final LinkList switchLinks = new LinkList();
    private int links;

    TopologyBuilder(Collection<Switch> switches, Collection<Vertex> vertices, Collection<DirectCable> direct) {
        this.direct = direct;
        ends = new DeviceEnds(vertices);
        areCliques = NvlinkClique.areAll(switches);
        Map<String, String> names = new HashMap<>();
        for (Switch node : switches) {
            portsById.merge(node.id(), node.ports(), TopologyBuilder::together);
            if (node.name() != null && !node.name().isBlank()) {
                names.putIfAbsent(node.id(), node.name());
            }
        }
        switchIds = portsById.keySet().toArray(String[]::new);
        switchNames = namesOfOne(switchIds, names);
        switchIndex = HashMap.newHashMap(switchIds.length);
        portBase = new int[switchIds.length + 1];
        int at = 0;
        int count = 0;
        for (Map.Entry<String, List<SwitchPort>> entry : portsById.entrySet()) {
            count += entry.getValue().size();
            entry.setValue(ascending(entry.getValue()));
        }
        int[] numbers = new int[count];
        int entries = 0;
        for (List<SwitchPort> ports : portsById.values()) {
            switchIndex.put(switchIds[at], at);
            for (SwitchPort port : ports) {
                if (entries == portBase[at] || numbers[entries - 1] != port.number()) {
                    numbers[entries++] = port.number();
                }
            }
            portBase[++at] = entries;
        }
        portNumber = Arrays.copyOf(numbers, entries);
        farSwitch = new int[entries];
        Arrays.fill(farSwitch, -1);
        farPort = new int[entries];
        speed = new long[entries];
        taken = new boolean[entries];
    }

    /** By switch; a name that several have, such as that of a product, names none of them. */
    private static @Nullable String[] namesOfOne(String[] ids, Map<String, String> nameById) {
        Map<String, Integer> bearers = new HashMap<>();
        nameById.values().forEach(name -> bearers.merge(name, 1, Integer::sum));
        @Nullable String[] names = new String[ids.length];
        for (int at = 0; at < names.length; at++) {
            String name = nameById.get(ids[at]);
            names[at] = name != null && bearers.getOrDefault(name, 0) == 1 ? name : null;
        }
        return names;
    }

    private static List<SwitchPort> together(List<SwitchPort> some, List<SwitchPort> others) {
        List<SwitchPort> all = new ArrayList<>(some);
        all.addAll(others);
        return all;
    }

    /** Most sources list each port once, in their order. */
    private static List<SwitchPort> ascending(List<SwitchPort> ports) {
        int last = Integer.MIN_VALUE;
        for (SwitchPort port : ports) {
            if (port.number() <= last) {
                List<SwitchPort> sorted = new ArrayList<>(ports);
                sorted.sort(Comparator.comparingInt(SwitchPort::number)
                        .thenComparing(p -> p.peer() == null ? "" : p.peer().id())
                        .thenComparingInt(p -> p.peer() == null ? 0 : p.peer().port()));
                return sorted;
            }
            last = port.number();
        }
        return ports;
    }

    Wiring build() {
        int at = 0;
        for (List<SwitchPort> ports : portsById.values()) {
            int entry = portBase[at];
            for (SwitchPort port : ports) {
                while (portNumber[entry] != port.number()) {
                    entry++;
                }
                claim(at, entry, port);
            }
            at++;
        }
        undescribed.forEach((id, cables) -> add(new TopologyProblem(
                TopologyProblem.Kind.CABLE_TO_NOWHERE,
                id,
                TopologyProblem.WHOLE,
                (cables == 1 ? "a cable leads" : cables + " cables lead") + " to switch " + id
                        + ", which no source describes")));
        forEachClaim(this::linkIfBothEndsSay);
        forEachClaim(this::linkIfFree);
        ends.finish(switchIds.length, this::nameOf, problems, MAX_PROBLEMS);
        links += ends.cabled() + direct.size();
        direct.forEach(ends::speedOf);
        return wiring();
    }

    private void claim(int at, int entry, SwitchPort port) {
        PortPeer peer = port.peer();
        if (peer == null) {
            return;
        }
        if (port.state() == PortState.Down) {
            // Both ends of a link are down: the first one says it.
            PortPeer here = new PortPeer(switchIds[at], port.number());
            if (!here.equals(downTo.get(peer))) {
                downTo.put(here, peer);
                report(
                        TopologyProblem.Kind.PORT_DOWN,
                        at,
                        port.number(),
                        "%s port %d is down; its cable leads to ",
                        farEnd(port, peer));
            }
            return;
        }
        long bits = port.speedBitsPerSecond() == null ? 0 : Math.max(port.speedBitsPerSecond(), 0);
        Integer far = switchIndex.get(peer.id());
        if (taken[entry] || farSwitch[entry] >= 0) {
            boolean same = far != null && farSwitch[entry] == far && farPort[entry] == peer.port();
            if (!same && !ends.isAt(peer, at, port.number())) {
                report(
                        TopologyProblem.Kind.CONTRADICTION,
                        at,
                        port.number(),
                        "%s port %d is said to have several cables");
            }
            return;
        }
        if (far == null) {
            taken[entry] = true;
            if (port.peerType() == NodeType.Switch) {
                undescribed.merge(peer.id(), 1, Integer::sum);
            } else {
                ends.attach(peer, at, port, bits);
            }
            return;
        }
        farSwitch[entry] = far;
        farPort[entry] = peer.port();
        speed[entry] = bits;
    }

    private interface ClaimVisitor {
        void visit(int at, int port, int entry);
    }

    private void forEachClaim(ClaimVisitor visitor) {
        for (int at = 0; at < switchIds.length; at++) {
            for (int entry = portBase[at]; entry < portBase[at + 1]; entry++) {
                if (farSwitch[entry] >= 0 && !taken[entry]) {
                    visitor.visit(at, portNumber[entry], entry);
                }
            }
        }
    }

    private void linkIfBothEndsSay(int at, int port, int entry) {
        int back = entryOf(farSwitch[entry], farPort[entry]);
        if (back < 0 && farPort[entry] == 0) {
            back = unnumbered(farSwitch[entry], at, port);
        }
        if (back >= 0 && !taken[back] && farSwitch[back] == at && (farPort[back] == port || farPort[back] == 0)) {
            link(at, entry, back);
        }
    }

    private void linkIfFree(int at, int port, int entry) {
        int back = entryOf(farSwitch[entry], farPort[entry]);
        if (back >= 0 && taken[back]) {
            report(TopologyProblem.Kind.CONTRADICTION, at, port, "the cable at %s port %d contradicts another one");
            return;
        }
        if (farPort[entry] > 0) {
            report(
                    TopologyProblem.Kind.ONE_WAY_CABLE,
                    at,
                    port,
                    "the cable at %s port %d is not seen from its far end");
        }
        if (back >= 0 && farSwitch[back] >= 0 && back != entry) {
            // The far port has a claim of its own, which cannot hold any more.
            report(
                    TopologyProblem.Kind.CONTRADICTION,
                    farSwitch[entry],
                    farPort[entry],
                    "the cable at %s port %d contradicts another one");
        }
        link(at, entry, back);
    }

    private void link(int at, int entry, int back) {
        taken[entry] = true;
        long bits = speed[entry];
        if (back >= 0) {
            taken[back] = true;
            bits = bits == 0 ? speed[back] : speed[back] == 0 ? bits : Math.min(bits, speed[back]);
        }
        links++;
        int far = farSwitch[entry];
        if (far == at) {
            report(
                    TopologyProblem.Kind.CONTRADICTION,
                    at,
                    portNumber[entry],
                    "%s port %d leads back to the switch itself");
        } else {
            switchLinks.add(at, portNumber[entry], far, back >= 0 ? portNumber[back] : farPort[entry], bits);
        }
    }

    /** Entry of a numbered port that its own switch mentions; negative without. */
    private int entryOf(int at, int port) {
        if (port <= 0) {
            return -1;
        }
        // Where its switch names every port, it is at its place.
        boolean inPlace = port <= portBase[at + 1] - portBase[at] && portNumber[portBase[at] + port - 1] == port;
        return inPlace
                ? portBase[at] + port - 1
                : Arrays.binarySearch(portNumber, portBase[at], portBase[at + 1], port);
    }

    /** The free port of {@code from} that leads to {@code port} of {@code to}, or to an unknown port of it. */
    private int unnumbered(int from, int to, int port) {
        for (int entry = portBase[from]; entry < portBase[from + 1]; entry++) {
            if (farSwitch[entry] == to && !taken[entry] && (farPort[entry] == port || farPort[entry] == 0)) {
                return entry;
            }
        }
        return -1;
    }

    private Wiring wiring() {
        LinkList.Rows rows = switchLinks.rows(switchIds.length);
        return new Wiring(
                switchIds,
                switchNames,
                switchIndex,
                rows.offsets(),
                rows.neighbors(),
                rows.speeds(),
                rows.cableOffsets(),
                rows.cablePorts(),
                rows.cableFarPorts(),
                rows.cableSpeeds(),
                links,
                ends.endOfSlot(),
                ends.managed(),
                ends.ids(),
                ends.ports(),
                ends.hosts(),
                DeviceEnds.HostNumbers.of(ends.hosts()),
                ends.osNames(),
                ends.uses(),
                ends.switches(),
                ends.switchPorts(),
                ends.speeds(),
                areCliques,
                List.copyOf(problems));
    }

    private String nameOf(int at) {
        String name = switchNames[at];
        return name == null ? switchIds[at] : name;
    }

    /** As people call it. */
    private String farEnd(SwitchPort port, PortPeer peer) {
        Integer far = switchIndex.get(peer.id());
        String host = port.peerHost();
        String device = host == null || port.peerOsName() == null ? peer.id() : host + "/" + port.peerOsName();
        return TopologyProblem.port(far == null ? device : nameOf(far), peer.port());
    }

    private void report(TopologyProblem.Kind kind, int at, int port, String format) {
        report(kind, at, port, format, "");
    }

    /**
     * @param format takes the switch's name and the port's number
     * @param behind is added as it is: names are their authors', and may look like a format
     */
    private void report(TopologyProblem.Kind kind, int at, int port, String format, String behind) {
        String message = format.replace("%d", Integer.toString(port)).replace("%s", nameOf(at));
        add(new TopologyProblem(kind, switchIds[at], port, message + behind));
    }

    private void add(TopologyProblem problem) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(problem);
        }
    }
}
