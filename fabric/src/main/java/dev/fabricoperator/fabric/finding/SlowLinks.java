/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.classify.Classification;
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
public final class SlowLinks {
    /** Above this share of the cables of two levels, one speed is what they should have. */
    private static final double RULE = 0.9;

    private static final int ENOUGH = 8;

    private SlowLinks() {}

    /** What a finding says, and what both ends of the link should run at. */
    private record SlowLink(Finding finding, PortPeer one, PortPeer other, long expected) {}

    static List<Finding> of(ClassifiedTopology wiring) {
        return all(wiring).stream().map(SlowLink::finding).toList();
    }

    /** By port of a switch or device that is slower than it should be, the speed that those beside it have, in bits per second. */
    public static Map<PortPeer, Long> expectedSpeeds(Topology topology, Classification classification) {
        Map<PortPeer, Long> expected = new HashMap<>();
        for (SlowLink link : all(ClassifiedTopology.of(topology, classification))) {
            expected.put(link.one(), link.expected());
            expected.put(link.other(), link.expected());
        }
        return expected;
    }

    private static List<SlowLink> all(ClassifiedTopology wiring) {
        List<SlowLink> found = new ArrayList<>();
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
                Finding.Place near = wiring.place(at, topology.cablePort(cable));
                Finding.Place there = wiring.place(far, topology.cableFarPort(cable));
                String beside = speed < bundle
                        ? "; other links of the two at " + gigabits(bundle)
                        : "; links between these levels at " + gigabits(level);
                Finding finding = new Finding(
                        FindingType.SlowLink,
                        near.id() + " port " + near.port(),
                        near.words() + " to " + there.words() + " runs at " + gigabits(speed) + beside,
                        near,
                        there);
                found.add(new SlowLink(
                        finding,
                        new PortPeer(near.id(), near.port()),
                        new PortPeer(there.id(), there.port()),
                        Math.max(bundle, level)));
            }
        });
        found.addAll(ofHosts(wiring));
        return found;
    }

    private static List<SlowLink> ofHosts(ClassifiedTopology wiring) {
        Topology topology = wiring.topology();
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
        List<SlowLink> found = new ArrayList<>();
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
                Finding.Place place = wiring.place(topology.endSwitch(end), topology.endSwitchPort(end));
                Finding finding = new Finding(
                        FindingType.SlowLink,
                        topology.endId(end) + " port " + topology.endPort(end),
                        name + " to " + place.words() + " runs at " + gigabits(speed) + "; others of this host at "
                                + gigabits(best),
                        List.of(place),
                        List.of(host));
                found.add(new SlowLink(
                        finding,
                        new PortPeer(place.id(), place.port()),
                        new PortPeer(topology.endId(end), topology.endPort(end)),
                        best));
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
