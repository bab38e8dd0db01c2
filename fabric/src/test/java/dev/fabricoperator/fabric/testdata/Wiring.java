/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.testdata;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A fabric in the making: switches, devices and cables with names, ports and order as chance has them. */
public final class Wiring {
    public static final long HDR = 200_000_000_000L;

    private record Cable(int one, int other, long speed) {}

    private record Link(int node, int device, long speed) {}

    /** A port of an adapter. */
    private record Device(@Nullable String host, @Nullable String osName, int card, int port) {}

    private final Random random;
    private final List<Cable> cables = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    private final List<Device> devices = new ArrayList<>();
    private int nodes;
    private @Nullable List<Switch> switches;
    private @Nullable List<Vertex> vertices;

    private boolean hostsAreNamed;

    public Wiring(long seed) {
        random = new Random(seed);
    }

    public int node() {
        return nodes++;
    }

    public int[] nodes(int count) {
        int[] made = new int[count];
        for (int i = 0; i < count; i++) {
            made[i] = node();
        }
        return made;
    }

    public Wiring cable(int one, int other, int count) {
        return cable(one, other, count, HDR);
    }

    public Wiring cable(int one, int other, int count, long speed) {
        for (int i = 0; i < count; i++) {
            cables.add(new Cable(one, other, speed));
        }
        return this;
    }

    public Wiring device(int node, @Nullable String host, @Nullable String osName) {
        return device(node, host, osName, HDR);
    }

    public Wiring device(int node, @Nullable String host, @Nullable String osName, long speed) {
        links.add(new Link(node, devices.size(), speed));
        devices.add(new Device(host, osName, devices.size(), 1));
        return this;
    }

    /** One adapter with as many ports as nodes are named, each cabled to one. */
    public Wiring card(String host, int... to) {
        return card(host, "mlx5_0", to);
    }

    public Wiring card(String host, String osName, int... to) {
        int card = devices.size();
        for (int port = 1; port <= to.length; port++) {
            links.add(new Link(to[port - 1], devices.size(), HDR));
            devices.add(new Device(host, osName, card, port));
        }
        return this;
    }

    /** Switches say which hosts their devices are in, as most sources do. */
    public Wiring withNamedHosts() {
        hostsAreNamed = true;
        return this;
    }

    /** Takes away a share of the cables between switches. */
    public Wiring withoutCables(double share) {
        Collections.shuffle(cables, random);
        int gone = (int) (cables.size() * share);
        cables.subList(0, gone).clear();
        return this;
    }

    /** Ascending by nothing: ids, port numbers and the order of records are random. */
    public List<Switch> switches() {
        lay();
        return Objects.requireNonNull(switches);
    }

    public List<Vertex> vertices() {
        lay();
        return Objects.requireNonNull(vertices);
    }

    public Topology topology() {
        return Topology.of(switches(), vertices());
    }

    private void lay() {
        if (switches != null) {
            return;
        }
        Set<String> taken = new HashSet<>();
        List<String> ids = new ArrayList<>();
        List<List<Integer>> freePorts = new ArrayList<>();
        int[] used = new int[nodes];
        cables.forEach(c -> {
            used[c.one]++;
            used[c.other]++;
        });
        links.forEach(l -> used[l.node]++);
        for (int n = 0; n < nodes; n++) {
            ids.add(guid(taken));
            List<Integer> ports = new ArrayList<>();
            for (int p = 1; p <= used[n] + 4; p++) {
                ports.add(p);
            }
            Collections.shuffle(ports, random);
            freePorts.add(ports);
        }
        Map<Integer, List<SwitchPort>> ports = new LinkedHashMap<>();
        for (int n = 0; n < nodes; n++) {
            ports.put(n, new ArrayList<>());
        }
        for (Cable cable : cables) {
            int here = freePorts.get(cable.one).removeLast();
            int there = freePorts.get(cable.other).removeLast();
            Objects.requireNonNull(ports.get(cable.one)).add(port(here, ids.get(cable.other), there, cable.speed));
            Objects.requireNonNull(ports.get(cable.other)).add(port(there, ids.get(cable.one), here, cable.speed));
        }
        List<Integer> slots = new ArrayList<>();
        for (int d = 0; d < devices.size(); d++) {
            slots.add(d);
        }
        Collections.shuffle(slots, random);
        List<Vertex> made = new ArrayList<>();
        Map<Integer, String> cards = new HashMap<>();
        for (Link link : links) {
            Device device = devices.get(link.device);
            String id = cards.computeIfAbsent(device.card, c -> guid(taken));
            int here = freePorts.get(link.node).removeLast();
            Objects.requireNonNull(ports.get(link.node))
                    .add(port(here, id, device.port, link.speed, hostsAreNamed ? device.host : null));
            made.add(new Vertex(slots.get(link.device), id, device.port, device.host, device.osName));
        }
        List<Switch> all = new ArrayList<>();
        ports.forEach((n, own) -> {
            Collections.shuffle(own, random);
            all.add(new Switch(ids.get(n), "name-" + random.nextInt(3), null, null, null, "test", own));
        });
        Collections.shuffle(all, random);
        Collections.shuffle(made, random);
        switches = all;
        vertices = made;
    }

    static SwitchPort port(int number, String peer, int peerPort, long speed) {
        return port(number, peer, peerPort, speed, null);
    }

    private static SwitchPort port(int number, String peer, int peerPort, long speed, @Nullable String host) {
        return new SwitchPort(number, new PortPeer(peer, peerPort), PortState.Active, speed, 4, null, host, null);
    }

    private String guid(Set<String> taken) {
        while (true) {
            String guid = String.format("%016x", random.nextLong() | 1);
            if (taken.add(guid)) {
                return guid;
            }
        }
    }

    /** Leaves with hosts of one device each, each leaf cabled to each spine. */
    public static Wiring twoLevels(long seed, int leaves, int spines, int hostsPerLeaf, int parallel) {
        Wiring wiring = new Wiring(seed);
        int[] tops = wiring.nodes(spines);
        for (int leaf = 0; leaf < leaves; leaf++) {
            int node = wiring.node();
            for (int top : tops) {
                wiring.cable(node, top, parallel);
            }
            for (int h = 0; h < hostsPerLeaf; h++) {
                wiring.device(node, "l" + leaf + "h" + h, "mlx5_0");
            }
        }
        return wiring;
    }

    /** Pods of leaves and aggregation switches; core group a joins the a-th aggregation switch of each pod. */
    public static Wiring threeLevels(
            long seed, int pods, int leaves, int aggregations, int coresPerGroup, int hostsPerLeaf, int parallel) {
        Wiring wiring = new Wiring(seed);
        int[][] cores = new int[aggregations][];
        for (int a = 0; a < aggregations; a++) {
            cores[a] = wiring.nodes(coresPerGroup);
        }
        for (int pod = 0; pod < pods; pod++) {
            int[] middle = wiring.nodes(aggregations);
            for (int a = 0; a < aggregations; a++) {
                for (int core : cores[a]) {
                    wiring.cable(middle[a], core, parallel);
                }
            }
            for (int leaf = 0; leaf < leaves; leaf++) {
                int node = wiring.node();
                for (int m : middle) {
                    wiring.cable(node, m, parallel);
                }
                for (int h = 0; h < hostsPerLeaf; h++) {
                    wiring.device(node, "p" + pod + "l" + leaf + "h" + h, null);
                }
            }
        }
        return wiring;
    }

    /** Units of hosts with one device per rail, a leaf per unit and rail, spines shared by all rails. */
    public static Wiring rails(long seed, int units, int rails, int hosts, int spines, int parallel) {
        Wiring wiring = new Wiring(seed);
        int[] tops = wiring.nodes(spines);
        for (int unit = 0; unit < units; unit++) {
            int[] leaves = wiring.nodes(rails);
            for (int rail = 0; rail < rails; rail++) {
                for (int top : tops) {
                    wiring.cable(leaves[rail], top, parallel);
                }
                for (int h = 0; h < hosts; h++) {
                    wiring.device(leaves[rail], "u" + unit + "h" + h, "mlx5_" + rail);
                }
            }
        }
        return wiring;
    }

    /**
     * Planes that nothing joins, each with leaves of all units and rails below spines of its own.
     *
     * @param cards whether the planes of a rail are at ports of one card, else each is at a card of its own
     */
    public static Wiring railPlanes(long seed, int planes, int units, int rails, int hosts, int spines, boolean cards) {
        Wiring wiring = new Wiring(seed).withNamedHosts();
        int[][] tops = new int[planes][];
        for (int plane = 0; plane < planes; plane++) {
            tops[plane] = wiring.nodes(spines);
        }
        for (int unit = 0; unit < units; unit++) {
            for (int rail = 0; rail < rails; rail++) {
                int[] leaves = wiring.nodes(planes);
                for (int plane = 0; plane < planes; plane++) {
                    for (int top : tops[plane]) {
                        wiring.cable(leaves[plane], top, 2);
                    }
                }
                for (int h = 0; h < hosts; h++) {
                    String host = "u" + unit + "h" + h;
                    if (cards) {
                        wiring.card(host, "mlx5_" + rail, leaves);
                    }
                    for (int plane = 0; plane < planes && !cards; plane++) {
                        wiring.device(leaves[plane], host, "mlx5_" + (rail * planes + plane));
                    }
                }
            }
        }
        return wiring;
    }

    /** A torus with devices on every switch. */
    public static Wiring torus(long seed, int x, int y, int z, int hosts) {
        Wiring wiring = new Wiring(seed);
        int[] nodes = wiring.nodes(x * y * z);
        for (int i = 0; i < nodes.length; i++) {
            int a = i / (y * z);
            int b = i / z % y;
            int c = i % z;
            wiring.cable(nodes[i], nodes[((a + 1) % x * y + b) * z + c], 1);
            wiring.cable(nodes[i], nodes[(a * y + (b + 1) % y) * z + c], 1);
            wiring.cable(nodes[i], nodes[(a * y + b) * z + (c + 1) % z], 1);
            for (int h = 0; h < hosts; h++) {
                wiring.device(nodes[i], "n" + i + "h" + h, "mlx5_0");
            }
        }
        return wiring;
    }

    /** Switches joined at random, devices on some of them, speeds mixed. */
    public static Wiring random(long seed, int switches, int cables, int devices) {
        Wiring wiring = new Wiring(seed);
        int[] nodes = wiring.nodes(switches);
        long[] speeds = {HDR, HDR / 2, HDR / 4, 56_000_000_000L, 0};
        for (int c = 0; c < cables; c++) {
            int one = wiring.random.nextInt(switches);
            int other = wiring.random.nextInt(switches);
            wiring.cable(nodes[one], nodes[other], 1, speeds[wiring.random.nextInt(speeds.length)]);
        }
        for (int d = 0; d < devices; d++) {
            String host = wiring.random.nextInt(5) == 0 ? null : "h" + wiring.random.nextInt(devices);
            int node = nodes[wiring.random.nextInt(switches)];
            wiring.device(node, host, "mlx5_" + d % 3, speeds[wiring.random.nextInt(speeds.length)]);
        }
        return wiring;
    }
}
