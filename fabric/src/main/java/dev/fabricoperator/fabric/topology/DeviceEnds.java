/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Device ends: the managed ones, and those that only cables name. */
final class DeviceEnds {
    private final List<Vertex> managed;
    /** First managed end of each id; the next one with the same id, -1 behind the last, is in {@link #nextOfId}. */
    private final Map<String, Integer> managedById;

    private final int[] nextOfId;
    private final Map<PortPeer, Attachment> unmanaged = new HashMap<>();
    private final @Nullable Attachment[] managedHolds;
    private final List<DuplicateCable> twice = new ArrayList<>();
    private final int[] endOfSlot;
    private String[] ids = new String[0];
    private int[] ports = new int[0];
    private @Nullable String[] hosts = new String[0];
    private @Nullable String[] osNames = new String[0];
    private Vertex.Use[] uses = new Vertex.Use[0];
    private int[] switches = new int[0];
    private int[] switchPorts = new int[0];
    private long[] speeds = new long[0];
    private int cabled;

    /** The switch port at the near end of a device's cable, and what its source says of the device. */
    private record Attachment(
            int at,
            int port,
            long speed,
            @Nullable String host,
            @Nullable String osName) {
        static final Attachment NONE = new Attachment(-1, -1, 0, null, null);
    }

    private record DuplicateCable(PortPeer peer, Attachment first, Attachment second) {}

    DeviceEnds(Collection<Vertex> vertices) {
        managed = new ArrayList<>(vertices);
        managed.sort(Comparator.comparingInt(Vertex::index));
        managedById = HashMap.newHashMap(managed.size());
        nextOfId = new int[managed.size()];
        int slots = managed.isEmpty() ? 0 : managed.getLast().index() + 1;
        endOfSlot = new int[slots];
        Arrays.fill(endOfSlot, -1);
        for (int end = 0; end < managed.size(); end++) {
            Vertex vertex = managed.get(end);
            if (vertex.index() < 0 || endOfSlot[vertex.index()] >= 0) {
                throw new IllegalArgumentException("slot " + vertex.index() + " is negative or used twice");
            }
            endOfSlot[vertex.index()] = end;
        }
        for (int end = managed.size() - 1; end >= 0; end--) {
            Integer next = managedById.put(managed.get(end).id(), end);
            nextOfId[end] = next == null ? -1 : next;
        }
        managedHolds = new Attachment[managed.size()];
    }

    /** A switch port whose cable leads to {@code peer}, which is no switch. Called ascending by switch and port. */
    void attach(PortPeer peer, int at, SwitchPort port, long speed) {
        Attachment hold = new Attachment(at, port.number(), speed, port.peerHost(), port.peerOsName());
        int end = managedEnd(peer);
        if (end >= 0) {
            if (managedHolds[end] == null) {
                managedHolds[end] = hold;
            } else {
                twice.add(new DuplicateCable(peer, managedHolds[end], hold));
            }
            return;
        }
        Attachment first = unmanaged.putIfAbsent(peer, hold);
        if (first != null) {
            twice.add(new DuplicateCable(peer, first, hold));
        }
    }

    boolean isAt(PortPeer peer, int at, int port) {
        int end = managedEnd(peer);
        Attachment hold = end >= 0 ? managedHolds[end] : unmanaged.get(peer);
        return hold != null && hold.at() == at && hold.port() == port;
    }

    /** The managed end that a cable means: same id and port, or the only one of that id where a side has no numbers. */
    private int managedEnd(PortPeer peer) {
        Integer first = managedById.get(peer.id());
        if (first == null) {
            return -1;
        }
        for (int end = first; end >= 0; end = nextOfId[end]) {
            if (managed.get(end).port() == peer.port()) {
                return end;
            }
        }
        boolean numbered = peer.port() > 0 && managed.get(first).port() > 0;
        return nextOfId[first] < 0 && !numbered ? first : -1;
    }

    /** @param nameOf what people call a switch */
    void finish(int switchCount, IntFunction<String> nameOf, List<TopologyProblem> problems, int maximum) {
        for (DuplicateCable found : twice) {
            PortPeer peer = found.peer();
            add(
                    problems,
                    maximum,
                    TopologyProblem.Kind.DUPLICATE_GUID,
                    peer,
                    "two cables lead to device " + TopologyProblem.port(peer.id(), peer.port()) + ": from "
                            + TopologyProblem.port(
                                    nameOf.apply(found.first().at()),
                                    found.first().port()) + " and from "
                            + TopologyProblem.port(
                                    nameOf.apply(found.second().at()),
                                    found.second().port()));
        }
        int count = managed.size() + unmanaged.size();
        ids = new String[count];
        ports = new int[count];
        hosts = new String[count];
        osNames = new String[count];
        uses = new Vertex.Use[count];
        Arrays.fill(uses, Vertex.Use.Unsaid);
        switches = new int[count];
        switchPorts = new int[count];
        speeds = new long[count];
        int end = 0;
        for (Vertex vertex : managed) {
            Attachment hold = managedHolds[end];
            if (hold == null && switchCount > 0) {
                add(
                        problems,
                        maximum,
                        TopologyProblem.Kind.UNCABLED,
                        new PortPeer(vertex.id(), vertex.port()),
                        "device " + words(vertex) + " has no cable");
            }
            put(end, hold == null ? Attachment.NONE : hold);
            ids[end] = vertex.id();
            ports[end] = vertex.port();
            hosts[end] = vertex.host();
            uses[end] = vertex.use();
            osNames[end++] = vertex.osName();
        }
        Map<String, String> agentsNames = unmanaged.isEmpty() ? Map.of() : agentsNames();
        List<Map.Entry<PortPeer, Attachment>> sorted = new ArrayList<>(unmanaged.entrySet());
        sorted.sort(Map.Entry.comparingByKey(Comparator.comparing(PortPeer::id).thenComparingInt(PortPeer::port)));
        for (Map.Entry<PortPeer, Attachment> entry : sorted) {
            put(end, entry.getValue());
            ids[end] = entry.getKey().id();
            ports[end] = entry.getKey().port();
            Integer sibling = managedById.get(ids[end]);
            if (sibling != null) {
                hosts[end] = managed.get(sibling).host();
                osNames[end] = managed.get(sibling).osName();
            } else {
                String reported = entry.getValue().host();
                hosts[end] = reported == null ? null : agentsNames.getOrDefault(reported, reported);
                osNames[end] = entry.getValue().osName();
            }
            end++;
        }
    }

    /**
     * What agents call the hosts that sources name: of a host with managed and unmanaged devices an agent may know a
     * longer or shorter name than the device's description has.
     */
    private Map<String, String> agentsNames() {
        Map<String, String> names = new HashMap<>();
        for (int end = 0; end < managedHolds.length; end++) {
            Attachment hold = managedHolds[end];
            String host = managed.get(end).host();
            if (hold != null && hold.host() != null && host != null) {
                names.putIfAbsent(hold.host(), host);
            }
        }
        return names;
    }

    /** As people call it. */
    private static String words(Vertex vertex) {
        return vertex.host() == null || vertex.osName() == null
                ? TopologyProblem.port(vertex.id(), vertex.port())
                : TopologyProblem.port(vertex.host() + "/" + vertex.osName(), vertex.port());
    }

    private static void add(
            List<TopologyProblem> problems, int maximum, TopologyProblem.Kind kind, PortPeer end, String message) {
        if (problems.size() < maximum) {
            problems.add(new TopologyProblem(kind, end.id(), end.port(), message));
        }
    }

    private void put(int end, Attachment hold) {
        switches[end] = hold.at();
        switchPorts[end] = hold.port();
        speeds[end] = hold.speed();
        cabled += hold.at() >= 0 ? 1 : 0;
    }

    /** What a cable without a switch says of the devices at its ends. */
    void speedOf(DirectCable cable) {
        speeds[endOfSlot[cable.slot()]] = cable.speedBitsPerSecond();
        speeds[endOfSlot[cable.otherSlot()]] = cable.speedBitsPerSecond();
    }

    int cabled() {
        return cabled;
    }

    int managed() {
        return managed.size();
    }

    int[] endOfSlot() {
        return endOfSlot;
    }

    String[] ids() {
        return ids;
    }

    int[] ports() {
        return ports;
    }

    @Nullable
    String[] hosts() {
        return hosts;
    }

    @Nullable
    String[] osNames() {
        return osNames;
    }

    Vertex.Use[] uses() {
        return uses;
    }

    int[] switches() {
        return switches;
    }

    int[] switchPorts() {
        return switchPorts;
    }

    long[] speeds() {
        return speeds;
    }

    /**
     * Hosts by number, in the order in which device ends name them.
     *
     * @param ofEnd -1 for an end whose host nobody knows
     */
    record HostNumbers(int[] ofEnd, int count) {

        static HostNumbers of(@Nullable String[] names) {
            int[] ofEnd = new int[names.length];
            Map<String, Integer> numbers = HashMap.newHashMap(names.length);
            String last = null;
            int lastNumber = -1;
            for (int end = 0; end < ofEnd.length; end++) {
                String name = names[end];
                if (name == null) {
                    ofEnd[end] = -1;
                    continue;
                }
                // Devices of one host mostly stand beside each other.
                if (!name.equals(last)) {
                    Integer known = numbers.putIfAbsent(name, numbers.size());
                    lastNumber = known == null ? numbers.size() - 1 : known;
                    last = name;
                }
                ofEnd[end] = lastNumber;
            }
            return new HostNumbers(ofEnd, numbers.size());
        }
    }
}
