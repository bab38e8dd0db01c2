/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.testdata;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A fabric in which cables, switches and devices fail and come back, links change speed, and people drain things. */
public final class Faults {
    private static final long[] SPEEDS = {Wiring.HDR, Wiring.HDR / 2, Wiring.HDR / 4, 0};

    private final String name;
    private final Random random;
    private final Map<String, Switch> whole = new TreeMap<>();
    private final Map<Integer, Vertex> wholeVertices = new TreeMap<>();
    private final Set<String> lostSwitches = new TreeSet<>();
    private final Set<Integer> lostVertices = new TreeSet<>();
    /** Both ends of each. */
    private final Set<PortPeer> lostPorts = new HashSet<>();

    private final Map<PortPeer, Long> speeds = new HashMap<>();
    private final Set<String> drainedSwitches = new TreeSet<>();
    private final Set<PortPeer> drainedPorts = new HashSet<>();
    private final Map<PortPeer, Double> load = new HashMap<>();
    private boolean loaded;
    private final List<String> last = new ArrayList<>();

    public Faults(String name, long seed, Wiring wiring) {
        this.name = name + " " + seed;
        random = new Random(seed);
        wiring.switches().forEach(s -> whole.put(s.id(), s));
        wiring.vertices().forEach(v -> wholeVertices.put(v.index(), v));
    }

    public Faults withLoad() {
        loaded = true;
        return this;
    }

    /** One to four things at once. */
    public void change() {
        last.clear();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            switch (random.nextInt(loaded ? 8 : 7)) {
                case 0, 1 -> toggle("cable", lostPorts, port());
                case 2 -> toggle("switch", lostSwitches, switchId());
                case 3 -> toggle("device", lostVertices, slot());
                case 4 -> respeed();
                case 5 -> toggle("drain switch", drainedSwitches, switchId());
                case 6 -> toggle("drain port", drainedPorts, port());
                default -> load.put(port(), random.nextDouble());
            }
        }
    }

    public void removeCable() {
        toggle("cable", lostPorts, port());
    }

    private <T> void toggle(String what, Set<T> lost, T one) {
        last.add(what + " " + one);
        // More comes back than fails, so that the fabric stays one.
        if (!lost.isEmpty() && random.nextInt(8) < lost.size()) {
            T back = List.copyOf(lost).get(random.nextInt(lost.size()));
            lost.remove(back);
        } else {
            lost.add(one);
        }
    }

    private void respeed() {
        PortPeer port = port();
        last.add("speed " + port);
        speeds.put(port, SPEEDS[random.nextInt(SPEEDS.length)]);
    }

    private String switchId() {
        return List.copyOf(whole.keySet()).get(random.nextInt(whole.size()));
    }

    private int slot() {
        return List.copyOf(wholeVertices.keySet()).get(random.nextInt(wholeVertices.size()));
    }

    private PortPeer port() {
        while (true) {
            Switch node = whole.get(switchId());
            if (node != null && !node.ports().isEmpty()) {
                SwitchPort port = node.ports().get(random.nextInt(node.ports().size()));
                return new PortPeer(node.id(), port.number());
            }
        }
    }

    public Topology topology() {
        List<Switch> switches = new ArrayList<>();
        for (Switch node : whole.values()) {
            if (!lostSwitches.contains(node.id())) {
                switches.add(new Switch(node.id(), null, null, null, null, "test", ports(node)));
            }
        }
        List<Vertex> vertices = wholeVertices.values().stream()
                .filter(v -> !lostVertices.contains(v.index()))
                .toList();
        return Topology.of(switches, vertices);
    }

    private List<SwitchPort> ports(Switch node) {
        List<SwitchPort> ports = new ArrayList<>();
        for (SwitchPort port : node.ports()) {
            PortPeer here = new PortPeer(node.id(), port.number());
            PortPeer peer = port.peer();
            if (peer != null && !lostPorts.contains(here) && !lostPorts.contains(peer) && !isLost(peer.id())) {
                Long slower = speeds.getOrDefault(here, speeds.get(peer));
                ports.add(slower == null ? port : SwitchPortBuilder.from(port).withSpeedBitsPerSecond(slower));
            }
        }
        return ports;
    }

    private boolean isLost(String id) {
        return lostSwitches.contains(id);
    }

    public Weights weights() {
        return new Weights(drainedSwitches, drainedPorts, loaded, load);
    }

    @Override
    public String toString() {
        return name + " " + last;
    }
}
