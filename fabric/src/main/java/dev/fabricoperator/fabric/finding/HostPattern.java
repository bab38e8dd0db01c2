/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.classify.DeviceUse;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Hosts with fewer devices than most, and swapped cables of hosts. */
final class HostPattern {
    private static final int ENOUGH_HOSTS = 4;

    /** Hosts that sit on the same switches show which switches belong to a host. */
    private static final int ENOUGH_ALIKE = 2;

    /** A host that claims more must not cost quadratic time and memory. */
    private static final int MAX_DEVICES = 64;

    private final ClassifiedTopology wiring;
    private final Topology topology;
    /** Cabled device ends by host. */
    private final Map<String, List<Integer>> endsOfHost = new HashMap<>();

    /** Ascending; numbers of planes that are gone stay free. */
    private final Set<Integer> cabledPlanes = new TreeSet<>();

    private HostPattern(ClassifiedTopology wiring) {
        this.wiring = wiring;
        topology = wiring.topology();
        for (int end = 0; end < topology.ends(); end++) {
            String host = topology.endHost(end);
            boolean counts =
                    topology.endSwitch(end) >= 0 && wiring.classification().useOfEnd()[end] == DeviceUse.Compute;
            if (host != null && counts) {
                endsOfHost.computeIfAbsent(host, h -> new ArrayList<>()).add(end);
                cabledPlanes.add(wiring.classification().planeOfEnd()[end]);
            }
        }
    }

    static List<Finding> of(ClassifiedTopology wiring) {
        HostPattern pattern = new HostPattern(wiring);
        List<Finding> found = new ArrayList<>(pattern.missingRails());
        found.addAll(pattern.swapped());
        return found;
    }

    private List<Finding> missingRails() {
        Frequencies counts = new Frequencies();
        endsOfHost.values().forEach(ends -> counts.add(ends.size(), 1));
        List<Finding> found = new ArrayList<>();
        if (endsOfHost.size() < ENOUGH_HOSTS || counts.modeShare() < ClassifiedTopology.PATTERN) {
            return found;
        }
        endsOfHost.forEach((host, ends) -> {
            if (ends.size() < counts.mode()) {
                found.add(new Finding(
                        FindingType.MissingRail,
                        host,
                        "host " + host + " has " + ends.size()
                                + (ends.size() == 1 ? " cabled device" : " cabled devices") + planes(ends)
                                + "; most hosts have " + counts.mode()));
            }
        });
        return found;
    }

    private String planes(List<Integer> ends) {
        if (wiring.classification().kind() != FabricKind.RailOptimized) {
            return "";
        }
        Set<Integer> missing = new TreeSet<>(cabledPlanes);
        ends.forEach(end -> missing.remove(wiring.classification().planeOfEnd()[end]));
        return missing.isEmpty()
                ? ""
                : ", none on plane " + missing.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    /** A host's switches in the order of its devices' names, where all of them have one. */
    private record CabledHost(String host, int[] ends, int[] switches) {}

    private record MisplacedDevice(String host, int end, int expected, int actual) {}

    /**
     * A host whose devices are on the same switches as those of at least two other hosts, except for one device: that device
     * is expected on the switch of the others. Two such devices, each on the switch where the other is expected, have
     * swapped cables.
     */
    private List<Finding> swapped() {
        Map<String, List<Integer>> severalEnds = new HashMap<>(endsOfHost);
        severalEnds.values().removeIf(ends -> ends.size() < 2 || ends.size() > MAX_DEVICES);
        List<CabledHost> hosts = new ArrayList<>();
        Map<List<Integer>, Integer> alike = new HashMap<>();
        Map<List<Integer>, List<List<Integer>>> without = new HashMap<>();
        new TreeMap<>(severalEnds).forEach((host, ends) -> {
            CabledHost cabled = cabledHost(host, ends);
            if (cabled != null) {
                hosts.add(cabled);
                alike.merge(boxed(cabled.switches()), 1, Integer::sum);
            }
        });
        alike.forEach((switches, count) -> {
            for (int i = 0; count >= ENOUGH_ALIKE && i < switches.size(); i++) {
                without.computeIfAbsent(hole(switches, i), k -> new ArrayList<>(1))
                        .add(switches);
            }
        });
        Map<Long, MisplacedDevice> misplaced = new HashMap<>();
        List<Finding> found = new ArrayList<>();
        for (CabledHost host : hosts) {
            List<Integer> own = boxed(host.switches());
            if (alike.getOrDefault(own, 0) >= ENOUGH_ALIKE) {
                continue;
            }
            found.addAll(insideHost(host, own, alike));
            for (int i = 0; i < own.size(); i++) {
                List<List<Integer>> patterns = without.getOrDefault(hole(own, i), List.of());
                if (patterns.size() == 1) {
                    int expected = patterns.getFirst().get(i);
                    MisplacedDevice stray = new MisplacedDevice(host.host(), host.ends()[i], expected, own.get(i));
                    MisplacedDevice other = misplaced.remove((long) stray.actual() << 32 | expected);
                    if (other != null) {
                        // With two devices each, either could be the one: to name it once is enough.
                        found.add(swapped(other, stray));
                        break;
                    } else {
                        misplaced.put((long) expected << 32 | stray.actual(), stray);
                    }
                }
            }
        }
        return found;
    }

    private List<Finding> insideHost(CabledHost host, List<Integer> own, Map<List<Integer>, Integer> alike) {
        for (int i = 0; i < own.size(); i++) {
            for (int j = i + 1; j < own.size(); j++) {
                List<Integer> exchanged = new ArrayList<>(own);
                Collections.swap(exchanged, i, j);
                if (alike.getOrDefault(exchanged, 0) >= ENOUGH_ALIKE && !exchanged.equals(own)) {
                    return List.of(swapped(
                            new MisplacedDevice(host.host(), host.ends()[i], own.get(j), own.get(i)),
                            new MisplacedDevice(host.host(), host.ends()[j], own.get(i), own.get(j))));
                }
            }
        }
        return List.of();
    }

    private Finding swapped(MisplacedDevice one, MisplacedDevice other) {
        return new Finding(
                FindingType.SwappedCable,
                name(one),
                "the cables of " + name(one) + " and " + name(other) + " are swapped: " + name(one) + " is at switch "
                        + topology.switchId(one.actual()) + " and its peers are at " + topology.switchId(one.expected())
                        + ", the other way round for " + name(other));
    }

    private String name(MisplacedDevice stray) {
        return stray.host() + "/" + topology.endOsName(stray.end());
    }

    private @Nullable CabledHost cabledHost(String host, List<Integer> ends) {
        if (ends.stream().anyMatch(end -> topology.endOsName(end) == null)) {
            return null;
        }
        int[] sorted = ends.stream()
                .sorted(Comparator.comparing((Integer end) -> String.valueOf(topology.endOsName(end)))
                        .thenComparing(topology::endPort))
                .mapToInt(end -> end)
                .toArray();
        return new CabledHost(
                host, sorted, Arrays.stream(sorted).map(topology::endSwitch).toArray());
    }

    private static List<Integer> boxed(int[] numbers) {
        return Arrays.stream(numbers).boxed().toList();
    }

    private static List<Integer> hole(List<Integer> switches, int at) {
        List<Integer> key = new ArrayList<>(switches);
        key.set(at, -1 - at);
        return key;
    }
}
