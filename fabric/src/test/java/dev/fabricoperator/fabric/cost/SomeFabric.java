/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A fabric of any shape with some empty slots, and what people and measurements say about it. */
record SomeFabric(Collection<Switch> switches, List<Vertex> vertices, Weights weights) {
    private static final long[] EXTREME_SPEEDS = {
        0, 1, 1_000_000, 2_500_000_000L, 300_000_000_000L, 800_000_000_000L, 1_000_000_000_000_000L, Long.MAX_VALUE
    };

    static SomeFabric of(long seed) {
        Random random = new Random(seed);
        Wiring wiring = switch (random.nextInt(4)) {
            case 0 -> Wiring.random(seed, 1 + random.nextInt(30), random.nextInt(60), 1 + random.nextInt(60));
            case 1 -> Wiring.twoLevels(seed, 2 + random.nextInt(6), 2, 1 + random.nextInt(4), 2);
            case 2 -> Wiring.rails(seed, 3, 3, 1 + random.nextInt(3), 2, 2).withoutCables(0.1);
            default -> Wiring.threeLevels(seed, 3, 2, 2, 2, 2, 1).withoutCables(0.1);
        };
        List<Vertex> vertices = wiring.vertices().stream()
                .filter(v -> v.index() == 0 || random.nextInt(10) > 0)
                .toList();
        return new SomeFabric(wiring.switches(), vertices, weights(wiring.switches(), random));
    }

    /** Each kind of weight in half of the fabrics. */
    private static Weights weights(Collection<Switch> switches, Random random) {
        boolean drainsSwitches = random.nextBoolean();
        boolean drainsPorts = random.nextBoolean();
        boolean loaded = random.nextBoolean();
        Set<String> drainedSwitches = new HashSet<>();
        Set<PortPeer> drainedPorts = new HashSet<>();
        Map<PortPeer, Double> load = new HashMap<>();
        for (Switch node : switches) {
            if (drainsSwitches && random.nextInt(12) == 0) {
                drainedSwitches.add(node.id());
            }
            for (SwitchPort port : node.ports()) {
                if (drainsPorts && random.nextInt(20) == 0) {
                    drainedPorts.add(new PortPeer(node.id(), port.number()));
                }
                if (loaded && random.nextBoolean()) {
                    load.put(new PortPeer(node.id(), port.number()), load(random));
                }
            }
        }
        return new Weights(drainedSwitches, drainedPorts, random.nextBoolean(), load);
    }

    /** A share, or what a broken counter may say. */
    private static double load(Random random) {
        return switch (random.nextInt(20)) {
            case 0 -> Double.NaN;
            case 1 -> Double.POSITIVE_INFINITY;
            case 2 -> -3;
            default -> random.nextDouble();
        };
    }

    /** The same with speeds from 1 bit per second to what 64 bit hold; one speed for all cables between two ends. */
    SomeFabric withExtremeSpeeds(long seed) {
        List<Switch> other = switches.stream()
                .map(node -> new Switch(
                        node.id(),
                        null,
                        null,
                        null,
                        null,
                        "test",
                        node.ports().stream()
                                .map(port -> SwitchPortBuilder.from(port)
                                        .withSpeedBitsPerSecond(speed(seed, node.id(), port.peer())))
                                .toList()))
                .toList();
        return new SomeFabric(other, vertices, weights);
    }

    private static long speed(long seed, String id, @Nullable PortPeer peer) {
        String far = peer == null ? "" : peer.id();
        String ends = id.compareTo(far) < 0 ? id + far : far + id;
        return EXTREME_SPEEDS[new Random(seed ^ ends.hashCode()).nextInt(EXTREME_SPEEDS.length)];
    }
}
