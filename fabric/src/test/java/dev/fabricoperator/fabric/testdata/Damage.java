/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.testdata;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Things that fail together, or were never built: what one part, one room or one delivery takes with it. Which parts belong together is read from
 * the model of the whole fabric.
 */
public enum Damage {
    /** Nothing: how the undamaged fabric is recognised. */
    NONE {
        @Override
        Damaged apply(Whole whole, Random random) {
            return whole.without(s -> false, cable -> false, v -> false);
        }
    },
    /** A third of the cables of one switch to others. */
    LINE_CARD {
        @Override
        Damaged apply(Whole whole, Random random) {
            List<Switch> most =
                    whole.where(at -> whole.isInner() ? whole.found().levelOfSwitch()[at] > 1 : true);
            Switch one = most.get(random.nextInt(most.size()));
            List<PortPeer> cables = new ArrayList<>();
            for (SwitchPort port : one.ports()) {
                if (whole.isSwitch(port.peer())) {
                    cables.add(new PortPeer(one.id(), port.number()));
                }
            }
            int first = random.nextInt(cables.size());
            Set<PortPeer> gone = new HashSet<>();
            for (int i = 0; i < Math.max(1, cables.size() / 3); i++) {
                gone.add(cables.get((first + i) % cables.size()));
            }
            return whole.without(s -> false, gone::contains, v -> false);
        }
    },
    /** One switch without devices. */
    SPINE {
        @Override
        @Nullable
        Damaged apply(Whole whole, Random random) {
            if (!whole.isInner()) {
                return null;
            }
            List<Switch> inner = whole.where(at -> whole.found().levelOfSwitch()[at] > 1);
            Switch one = inner.get(random.nextInt(inner.size()));
            return whole.without(one::equals, cable -> false, v -> false);
        }
    },
    /** One switch with devices, and its devices. */
    RACK {
        @Override
        Damaged apply(Whole whole, Random random) {
            List<Switch> leaves = whole.where(at -> whole.found().levelOfSwitch()[at] == 1);
            Switch one = leaves.get(random.nextInt(leaves.size()));
            return whole.without(one::equals, cable -> false, v -> false);
        }
    },
    /** All switches and hosts of one group. */
    POD {
        @Override
        @Nullable
        Damaged apply(Whole whole, Random random) {
            int groups = whole.found().groups();
            int gone = random.nextInt(groups);
            return groups < 3 ? null : whole.without(s -> whole.groupOf(s) == gone, cable -> false, v -> false);
        }
    },
    /** All switches of one rail: each host has a device less. */
    RAIL {
        @Override
        @Nullable
        Damaged apply(Whole whole, Random random) {
            int gone = random.nextInt(whole.found().planes());
            return whole.found().planes() < 3
                    ? null
                    : whole.without(s -> whole.planeOf(s) == gone, c -> false, v -> false);
        }
    },
    /** Half of the switches with devices are older and have half of the speed, towards all that they are cabled to. */
    MIXED_SPEEDS {
        @Override
        Damaged apply(Whole whole, Random random) {
            Set<String> slow = new HashSet<>();
            for (Switch leaf : whole.where(at -> whole.found().levelOfSwitch()[at] == 1)) {
                if (random.nextBoolean()) {
                    slow.add(leaf.id());
                }
            }
            List<Switch> switches = new ArrayList<>();
            for (Switch each : whole.switches) {
                switches.add(withPorts(
                        each,
                        port -> slow.contains(each.id())
                                        || port.peer() != null
                                                && slow.contains(port.peer().id())
                                ? SwitchPortBuilder.from(port).withSpeedBitsPerSecond(Wiring.HDR / 2)
                                : port));
            }
            return new Damaged(switches, whole.vertices, Set.of(), Set.of(), Set.of());
        }
    },
    /** Another fabric of the same plan, joined by one cable between two switches that have room for it. */
    BRIDGED {
        @Override
        Damaged apply(Whole whole, Random random) {
            Whole other = Whole.of(whole.maker.make(random.nextLong()), whole.maker);
            String here = whole.anySwitch(random).id();
            String there = other.anySwitch(random).id();
            List<Switch> switches = new ArrayList<>();
            for (Switch each : whole.switches) {
                switches.add(each.id().equals(here) ? bridged(each, there) : each);
            }
            for (Switch each : other.switches) {
                switches.add(each.id().equals(there) ? bridged(each, here) : each);
            }
            List<Vertex> vertices = new ArrayList<>(whole.vertices);
            for (Vertex each : other.vertices) {
                vertices.add(new Vertex(
                        each.index() + whole.vertices.size(),
                        each.id(),
                        each.port(),
                        "b" + each.host(),
                        each.osName()));
            }
            return new Damaged(switches, vertices, Set.of(Set.of(here, there)), Set.of(), Set.of());
        }

        private Switch bridged(Switch node, String peer) {
            List<SwitchPort> ports = new ArrayList<>(node.ports());
            ports.add(Wiring.port(BRIDGE_PORT, peer, BRIDGE_PORT, Wiring.HDR));
            return withPorts(node, ports);
        }
    },
    /** Every other switch above the others is not delivered yet. */
    HALF_BUILT {
        @Override
        @Nullable
        Damaged apply(Whole whole, Random random) {
            if (!whole.isInner() || whole.found().kind() == FabricKind.DragonflyPlus) {
                return null;
            }
            int top = 0;
            for (int level : whole.found().levelOfSwitch()) {
                top = Math.max(top, level);
            }
            int highest = top;
            List<Switch> tops = whole.where(at -> whole.found().levelOfSwitch()[at] == highest);
            Set<String> gone = new HashSet<>();
            for (Switch each : tops.subList(0, tops.size() / 2)) {
                gone.add(each.id());
            }
            return whole.without(s -> gone.contains(s.id()), cable -> false, v -> false);
        }
    };

    /** A number that no port of a small fabric has. */
    private static final int BRIDGE_PORT = 250;

    /** {@code null} where a fabric of this kind has nothing of the sort. */
    abstract @Nullable Damaged apply(Whole whole, Random random);

    public @Nullable Damaged of(FabricMaker maker, long seed) {
        return apply(Whole.of(maker.make(seed), maker), new Random(seed));
    }

    /** A plan of a fabric; the seed says names, ports and order. */
    public interface FabricMaker {
        Wiring make(long seed);
    }

    /**
     * What is left of a fabric.
     *
     * @param lostPairs ids of two switches that are still there, between which a cable is gone, or was added
     * @param lostSwitches ids of switches that are gone
     * @param lostHosts names of hosts that are still there and have lost a device
     */
    public record Damaged(
            List<Switch> switches,
            List<Vertex> vertices,
            Set<Set<String>> lostPairs,
            Set<String> lostSwitches,
            Set<String> lostHosts) {}

    /** A fabric before anything is taken from it. */
    record Whole(
            FabricMaker maker, List<Switch> switches, List<Vertex> vertices, Topology topology, Classification found) {
        static Whole of(Wiring wiring, FabricMaker maker) {
            FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());
            return new Whole(maker, wiring.switches(), wiring.vertices(), model.topology(), model.classification());
        }

        /** Whether it has switches without devices. */
        boolean isInner() {
            return !where(at -> found.levelOfSwitch()[at] > 1).isEmpty();
        }

        List<Switch> where(IntPredicate wanted) {
            return switches.stream()
                    .filter(each -> wanted.test(topology.switchIndex(each.id())))
                    .toList();
        }

        Switch anySwitch(Random random) {
            return switches.get(random.nextInt(switches.size()));
        }

        int groupOf(Switch each) {
            return found.groupOfSwitch()[topology.switchIndex(each.id())];
        }

        int planeOf(Switch each) {
            return found.planeOfSwitch()[topology.switchIndex(each.id())];
        }

        boolean isSwitch(@Nullable PortPeer peer) {
            return peer != null && topology.switchIndex(peer.id()) >= 0;
        }

        Damaged without(Predicate<Switch> goneSwitch, Predicate<PortPeer> goneCable, Predicate<Vertex> goneVertex) {
            Set<String> lostSwitches = new TreeSet<>();
            for (Switch each : switches) {
                if (goneSwitch.test(each)) {
                    lostSwitches.add(each.id());
                }
            }
            Set<PortPeer> lostDevices = new HashSet<>();
            Set<Set<String>> lostPairs = new HashSet<>();
            List<Switch> left = new ArrayList<>();
            for (Switch each : switches) {
                boolean isGone = lostSwitches.contains(each.id());
                List<SwitchPort> ports = new ArrayList<>();
                for (SwitchPort port : each.ports()) {
                    PortPeer peer = port.peer();
                    if (peer == null) {
                        continue;
                    }
                    if (!isSwitch(peer)) {
                        if (isGone) {
                            lostDevices.add(peer);
                        } else {
                            ports.add(port);
                        }
                    } else if (goneCable.test(new PortPeer(each.id(), port.number())) || goneCable.test(peer)) {
                        lostPairs.add(Set.of(each.id(), peer.id()));
                    } else if (!lostSwitches.contains(peer.id())) {
                        ports.add(port);
                    }
                }
                if (!isGone) {
                    left.add(withPorts(each, ports));
                }
            }
            List<Vertex> stay = new ArrayList<>();
            Set<String> lostHosts = new HashSet<>();
            for (Vertex each : vertices) {
                if (lostDevices.contains(new PortPeer(each.id(), each.port())) || goneVertex.test(each)) {
                    lostHosts.add(String.valueOf(each.host()));
                } else {
                    stay.add(each);
                }
            }
            return new Damaged(left, stay, lostPairs, lostSwitches, lostHosts);
        }
    }

    private interface PortChange {
        SwitchPort of(SwitchPort port);
    }

    private static Switch withPorts(Switch node, PortChange change) {
        return withPorts(node, node.ports().stream().map(change::of).toList());
    }

    private static Switch withPorts(Switch node, List<SwitchPort> ports) {
        return new Switch(node.id(), node.name(), node.vendor(), node.model(), node.chassis(), node.source(), ports);
    }
}
