/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.route;

import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTable;
import dev.fabricoperator.fabric.cabling.lft.ForwardingTables;
import dev.fabricoperator.fabric.route.Route.End;
import dev.fabricoperator.fabric.route.Route.Hop;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The ways of packets in one fabric: each switch looks up the destination's LID in its forwarding table and sends the packet out by the port that it finds
 * there. Immutable, densely indexed; safe to ask from many threads.
 *
 * <p>Every way is walked over the cables of the fabric, and counts only where it comes to the device that was asked for: tables that are of another
 * time, or of another subnet, give no way rather than a wrong one, and say why.
 *
 * <pre>
 * Cost: making O(ports + LIDs of all tables); a route O(switches on it). Memory: tables as they were read, 16 bytes a port.
 * </pre>
 *
 * @see "InfiniBand Architecture Specification, volume 1, 18.2.4 Relaying, 4.1.3 Local Identifiers"
 */
public final class Routes {
    private static final int NO_CABLE = -1;
    /** Of what a port leads to: device end 0; end 1 is one less, and so on. */
    private static final int FIRST_END = -2;

    private static final int NO_PARALLEL = -1;
    private static final PortAddress NO_ADDRESS = new PortAddress(null, null);

    private final Topology topology;
    private final ForwardingTables texts;
    /** By slot. */
    private final List<PortAddress> addresses;

    private final @Nullable ForwardingTable[] tables;
    /** Entry of the first port of each switch in the next two. */
    private final int[] firstPort;

    private final int[] peers;
    /** Number of the cable in the topology; only where the peer is a switch. */
    private final int[] cables;

    /** Tables that are left out. */
    private final List<ForwardingTable> strange = new ArrayList<>();

    private String firstStrange = "";

    private Routes(
            Topology topology,
            ForwardingTables texts,
            IntFunction<PortAddress> addressOfSlot,
            Map<String, Integer> lidOfSwitch) {
        this.topology = topology;
        this.texts = texts;
        this.addresses = addresses(topology, addressOfSlot);
        firstPort = firstPorts();
        peers = new int[firstPort[topology.switches()]];
        cables = new int[peers.length];
        Arrays.fill(peers, NO_CABLE);
        Arrays.fill(cables, NO_PARALLEL);
        cable();
        tables = new ForwardingTable[topology.switches()];
        for (int at = 0; at < tables.length; at++) {
            ForwardingTable table = texts.of(topology.switchId(at));
            tables[at] = table != null && isOf(table, at, lidOfSwitch.get(topology.switchId(at))) ? table : null;
        }
    }

    /**
     * The routes of a fabric; {@code null} where none of its switches has a table.
     *
     * @param addressOfSlot what is known of each device of the topology
     * @param lidOfSwitch by switch, where the map says it
     */
    public static @Nullable Routes of(
            Topology topology,
            ForwardingTables texts,
            IntFunction<PortAddress> addressOfSlot,
            Map<String, Integer> lidOfSwitch) {
        for (int at = 0; at < topology.switches(); at++) {
            if (texts.of(topology.switchId(at)) != null) {
                return new Routes(topology, texts, addressOfSlot, lidOfSwitch);
            }
        }
        return null;
    }

    /** By switch, the LID that a map says it has. */
    public static Map<String, Integer> lids(List<Switch> switches) {
        Map<String, Integer> lids = new HashMap<>();
        for (Switch one : switches) {
            one.ports().stream()
                    .map(SwitchPort::lid)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .ifPresent(lid -> lids.put(one.id(), lid));
        }
        return lids;
    }

    private static List<PortAddress> addresses(Topology topology, IntFunction<PortAddress> addressOfSlot) {
        List<PortAddress> addresses = new ArrayList<>(topology.slots());
        for (int slot = 0; slot < topology.slots(); slot++) {
            addresses.add(topology.endOfSlot(slot) < 0 ? NO_ADDRESS : addressOfSlot.apply(slot));
        }
        return addresses;
    }

    /** Whether packets to the devices are addressed as they were when this was made. O(slots). */
    public boolean hasAddresses(IntFunction<PortAddress> addressOfSlot) {
        return addresses.equals(addresses(topology, addressOfSlot));
    }

    /** What the ways follow from. */
    public ForwardingTables tables() {
        return texts;
    }

    private int[] firstPorts() {
        int[] highest = new int[topology.switches()];
        for (int at = 0; at < highest.length; at++) {
            for (int c = firstCable(at); c < firstCable(at + 1); c++) {
                highest[at] = Math.max(highest[at], topology.cablePort(c));
            }
        }
        for (int end = 0; end < topology.ends(); end++) {
            int at = topology.endSwitch(end);
            if (at >= 0) {
                highest[at] = Math.max(highest[at], topology.endSwitchPort(end));
            }
        }
        int[] first = new int[highest.length + 1];
        for (int at = 0; at < highest.length; at++) {
            first[at + 1] = first[at] + highest[at] + 1;
        }
        return first;
    }

    private int firstCable(int at) {
        return topology.firstCable(topology.firstNeighbor(at));
    }

    private void cable() {
        for (int at = 0; at < topology.switches(); at++) {
            for (int i = topology.firstNeighbor(at); i < topology.firstNeighbor(at + 1); i++) {
                for (int c = topology.firstCable(i); c < topology.firstCable(i + 1); c++) {
                    peers[firstPort[at] + topology.cablePort(c)] = topology.neighbor(i);
                    cables[firstPort[at] + topology.cablePort(c)] = c;
                }
            }
        }
        for (int end = 0; end < topology.ends(); end++) {
            if (topology.endSwitch(end) >= 0 && topology.endSwitchPort(end) > 0) {
                peers[firstPort[topology.endSwitch(end)] + topology.endSwitchPort(end)] = FIRST_END - end;
            }
        }
    }

    /** What a switch takes for its own LID has to be that: a table that says otherwise is another switch's. */
    private boolean isOf(ForwardingTable table, int at, @Nullable Integer lid) {
        if (lid == null || lid == 0 || table.port(lid) == 0 || table.ownLid() == 0) {
            return true;
        }
        strange.add(table);
        if (strange.size() == 1) {
            firstStrange = name(at) + " takes LID " + table.ownLid() + " for its own, and the map says " + lid;
        }
        return false;
    }

    /** What does not fit between tables and map. */
    public List<Problem> problems() {
        if (strange.isEmpty()) {
            return List.of();
        }
        ForwardingTable first = strange.getFirst();
        return List.of(new Problem(
                first.file(),
                first.line(),
                strange.size() + " of " + tables.length + " tables are left out, as another switch's or of another time"
                        + " than the map: that of " + firstStrange,
                false));
    }

    /**
     * The way of packets from one device to another one, by the base LID of where they go.
     *
     * @param fromSlot of a device
     * @param toSlot of another one
     */
    public Route between(int fromSlot, int toSlot) {
        int from = topology.endOfSlot(fromSlot);
        int to = topology.endOfSlot(toSlot);
        if (topology.endSwitch(from) < 0 || topology.endSwitch(to) < 0) {
            return new Route.Ends(End.NoSwitch, "a device has no cable to a switch");
        }
        PortAddress address = addresses.get(toSlot);
        int[] lids = address.portGuid() == null ? new int[0] : texts.lidsOfPort(address.portGuid());
        Integer known = address.lid();
        if (lids.length == 0) {
            if (known == null) {
                return new Route.Ends(End.NoLid, "nobody says the LID of " + device(to));
            }
            return texts.namePorts() && address.portGuid() != null
                    ? new Route.Ends(
                            End.NoLid,
                            "the forwarding tables know no LID of " + device(to) + ", which has 0x"
                                    + HexFormat.of().toHexDigits(known, 4) + " in the map")
                    : walk(from, to, known);
        }
        Route first = walk(from, to, lids[0]);
        if (!(first instanceof Route.Arrives arrives)) {
            return first;
        }
        Set<List<Hop>> ways = new HashSet<>();
        for (int lid : lids) {
            if (walk(from, to, lid) instanceof Route.Arrives other) {
                ways.add(other.hops());
            }
        }
        return new Route.Arrives(arrives.lid(), ways.size(), arrives.hops());
    }

    private Route walk(int from, int to, int lid) {
        List<Hop> hops = new ArrayList<>();
        BitSet seen = new BitSet(tables.length);
        int at = topology.endSwitch(from);
        int inPort = Math.max(topology.endSwitchPort(from), 0);
        while (true) {
            if (seen.get(at)) {
                return ends(End.Loop, name(at), "gets it a second time, so that it goes round and round", lid);
            }
            seen.set(at);
            ForwardingTable table = tables[at];
            if (table == null) {
                return ends(End.NoTable, name(at), "has no forwarding table", lid);
            }
            int port = table.port(lid);
            if (port == ForwardingTable.NO_PORT) {
                return ends(End.NoEntry, name(at), "has no port for it", lid);
            }
            if (port == 0) {
                return ends(End.WrongEnd, name(at), "keeps it for itself", lid);
            }
            int entry = firstPort[at] + port;
            int peer = entry < firstPort[at + 1] ? peers[entry] : NO_CABLE;
            if (peer == NO_CABLE) {
                return ends(End.NoCable, name(at), "sends it to port " + port + ", where the map has no cable", lid);
            }
            if (peer <= FIRST_END) {
                int end = FIRST_END - peer;
                hops.add(new Hop(at, inPort, port, topology.endSpeed(end)));
                return end == to
                        ? new Route.Arrives(lid, 1, hops)
                        : ends(
                                End.WrongEnd,
                                name(at),
                                "sends it to port " + port + ", where " + device(end) + " is",
                                lid);
            }
            hops.add(new Hop(at, inPort, port, topology.cableSpeed(cables[entry])));
            inPort = topology.cableFarPort(cables[entry]);
            at = peer;
        }
    }

    /**
     * A number that changes where packets between some devices take another way, and does not where other packets do, or where devices stand in another order.
     * Two sets of ways have the same by chance, once in 2^64.
     *
     * <p>Cost: O(devices x switches that hold them x length of a way).
     *
     * @param slots of devices
     * @return {@code null} where nobody says the LID of one of them: once it is known, no packet goes another way
     */
    public @Nullable Long digest(int[] slots) {
        BitSet leaves = new BitSet(tables.length);
        for (int slot : slots) {
            int at = topology.endSwitch(topology.endOfSlot(slot));
            if (at >= 0) {
                leaves.set(at);
            }
        }
        long digest = 0;
        for (int slot : slots) {
            int end = topology.endOfSlot(slot);
            PortAddress address = addresses.get(slot);
            int[] lids = address.portGuid() == null ? new int[0] : texts.lidsOfPort(address.portGuid());
            if (lids.length == 0 && address.lid() != null) {
                lids = new int[] {address.lid()};
            }
            if (lids.length == 0 && topology.endSwitch(end) >= 0) {
                return null;
            }
            for (int lid : lids) {
                long device = mixed(topology.endId(end).hashCode() * 31L + topology.endPort(end), lid - lids[0]);
                for (int leaf = leaves.nextSetBit(0); leaf >= 0; leaf = leaves.nextSetBit(leaf + 1)) {
                    digest += digest(device, leaf, lid);
                }
            }
        }
        return digest;
    }

    private long digest(long device, int leaf, int lid) {
        long way = device;
        int at = leaf;
        // A way that goes round and round ends here, too.
        for (int steps = 0; steps <= tables.length; steps++) {
            ForwardingTable table = tables[at];
            int port = table == null ? ForwardingTable.NO_PORT : table.port(lid);
            way = mixed(way, topology.switchId(at).hashCode() * 256L + port);
            int entry = firstPort[at] + port;
            if (table == null || port == 0 || entry >= firstPort[at + 1] || peers[entry] < 0) {
                return way;
            }
            at = peers[entry];
        }
        return way;
    }

    /** The finalizer of MurmurHash3 (Appleby 2011) over both. */
    private static long mixed(long one, long other) {
        long mixed = (one ^ other * 0x9e3779b97f4a7c15L) + other;
        mixed = (mixed ^ mixed >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ mixed >>> 33;
    }

    private static Route ends(End end, String at, String why, int lid) {
        return new Route.Ends(end, "LID 0x" + HexFormat.of().toHexDigits(lid, 4) + ": " + at + " " + why);
    }

    private String name(int at) {
        String name = topology.switchName(at);
        return "switch " + (name.equals(topology.switchId(at)) ? name : name + " (" + topology.switchId(at) + ")");
    }

    private String device(int end) {
        String host = topology.endHost(end);
        String port = topology.endId(end) + " port " + topology.endPort(end);
        return host == null ? "device " + port : "device " + port + " of " + host;
    }
}
