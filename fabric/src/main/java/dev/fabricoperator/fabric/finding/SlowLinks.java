/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Cables slower than those beside them: in the bundle, among the cables between the same two levels, or among the
 * devices of the host. A fabric may well have hosts or whole levels of another generation: those are no findings.
 */
final class SlowLinks {
    /** Above this share of the cables of two levels, one speed is what they should have. */
    private static final double RULE = 0.9;

    private static final int ENOUGH = 8;

    private SlowLinks() {}

    static List<Finding> of(ClassifiedTopology wiring) {
        List<Finding> found = new ArrayList<>();
        Topology topology = wiring.topology();
        Map<Long, Frequencies> speeds = new HashMap<>();
        forEachCable(wiring, (at, entry, cable) -> {
            if (topology.cableSpeed(cable) > 0) {
                speeds.computeIfAbsent(levels(wiring, at, topology.neighbor(entry)), k -> new Frequencies())
                        .add(topology.cableSpeed(cable), 1);
            }
        });
        Map<Long, Long> usual = new HashMap<>();
        speeds.forEach((levels, counts) -> {
            if (counts.total() >= ENOUGH && counts.modeShare() >= RULE) {
                usual.put(levels, counts.mode());
            }
        });
        long fastest = usual.values().stream().mapToLong(Long::longValue).max().orElse(0);
        forEachCable(wiring, (at, entry, cable) -> {
            long speed = topology.cableSpeed(cable);
            int far = topology.neighbor(entry);
            long bundle = topology.neighborSpeed(entry);
            long level = speed == fastest ? 0 : usual.getOrDefault(levels(wiring, at, far), 0L);
            if (speed > 0 && (speed < bundle || speed < level)) {
                String where = wiring.port(at, topology.cablePort(cable));
                String beside = speed < bundle
                        ? "; the bundle between the two has links of " + gigabits(bundle)
                        : "; links between these levels run at " + gigabits(level);
                found.add(new Finding(
                        FindingType.SlowLink,
                        where,
                        "the link of port " + topology.cablePort(cable) + " of switch " + topology.switchId(at) + " to "
                                + wiring.port(far, topology.cableFarPort(cable)) + " runs at " + gigabits(speed)
                                + beside));
            }
        });
        found.addAll(ofHosts(topology));
        return found;
    }

    private static List<Finding> ofHosts(Topology topology) {
        Map<String, Long> fastest = new HashMap<>();
        for (int end = 0; end < topology.ends(); end++) {
            String host = topology.endHost(end);
            if (host != null && topology.endSwitch(end) >= 0) {
                fastest.merge(host, topology.endSpeed(end), Math::max);
            }
        }
        @Nullable Frequencies[] ofSwitch = new Frequencies[topology.switches()];
        for (int end = 0; end < topology.ends(); end++) {
            if (topology.endSwitch(end) >= 0 && topology.endSpeed(end) > 0) {
                int at = topology.endSwitch(end);
                Frequencies counts = ofSwitch[at];
                if (counts == null) {
                    counts = new Frequencies();
                    ofSwitch[at] = counts;
                }
                counts.add(topology.endSpeed(end), 1);
            }
        }
        List<Finding> found = new ArrayList<>();
        for (int end = 0; end < topology.ends(); end++) {
            String host = topology.endHost(end);
            Frequencies counts = topology.endSwitch(end) < 0 ? null : ofSwitch[topology.endSwitch(end)];
            long speed = topology.endSpeed(end);
            if (host == null || counts == null || speed == 0) {
                continue;
            }
            long best = fastest.getOrDefault(host, 0L);
            // The switch shows that its ports can do better, and the host that its devices can.
            if (speed < best && counts.mode() >= best && counts.modeShare() >= ClassifiedTopology.PATTERN) {
                String name = host + (topology.endOsName(end) == null ? "" : "/" + topology.endOsName(end));
                found.add(new Finding(
                        FindingType.SlowLink,
                        topology.endId(end) + " port " + topology.endPort(end),
                        "the link of " + name + " to port " + topology.endSwitchPort(end) + " of switch "
                                + topology.switchId(topology.endSwitch(end)) + " runs at " + gigabits(speed)
                                + "; others of this host run at " + gigabits(best)));
            }
        }
        return found;
    }

    private interface CableVisitor {
        void visit(int at, int entry, int cable);
    }

    /** Each cable between switches once. */
    private static void forEachCable(ClassifiedTopology wiring, CableVisitor visitor) {
        Topology topology = wiring.topology();
        for (int at = 0; at < topology.switches(); at++) {
            for (int n = topology.firstNeighbor(at); n < topology.firstNeighbor(at + 1); n++) {
                if (wiring.first(at, topology.neighbor(n))) {
                    for (int c = topology.firstCable(n); c < topology.firstCable(n + 1); c++) {
                        visitor.visit(at, n, c);
                    }
                }
            }
        }
    }

    private static long levels(ClassifiedTopology wiring, int one, int other) {
        int a = wiring.level(one);
        int b = wiring.level(other);
        return (long) Math.min(a, b) << 32 | Math.max(a, b) + 1;
    }

    private static String gigabits(long bitsPerSecond) {
        double gigabits = bitsPerSecond / 1e9;
        return (gigabits == Math.rint(gigabits) ? Long.toString((long) gigabits) : Double.toString(gigabits))
                + " Gbit/s";
    }
}
