/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.classify.DeviceUse;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Hosts with fewer devices than most, and swapped cables of hosts. */
final class HostPattern {
    private static final int ENOUGH_HOSTS = 4;

    /** Hosts that sit on the same switches show which switches belong to a host. */
    private static final int ENOUGH_ALIKE = 2;

    /** A host that claims more must not cost quadratic time and memory. */
    private static final int MAX_DEVICES = 64;

    private static final Pattern NUMBERS = Pattern.compile("[0-9]+");

    private final ClassifiedTopology wiring;
    private final Topology topology;
    /** Cabled device ends by host. */
    private final Map<String, List<Integer>> endsOfHost = new HashMap<>();

    /** Ascending; numbers of planes that are gone stay free. */
    private final Set<Integer> cabledPlanes = new TreeSet<>();

    private final ExemptHosts exempt;

    /** @param exempt hosts that neither lack devices nor show how many others should have */
    HostPattern(ClassifiedTopology wiring, ExemptHosts exempt) {
        this.wiring = wiring;
        this.exempt = exempt;
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

    /**
     * Hosts of one group that lack the same.
     *
     * @param group -1 where no cable tells
     * @param count cabled devices of each
     * @param expected of hosts like them
     * @param planes on which they have none; empty where planes say nothing
     * @param noSwitch whether no switch of their group is on these planes either
     * @param hosts ascending
     * @param switches where the devices should be: those of the group on these planes, or where planes say nothing those that
     *     the hosts are at
     */
    record MissingRails(
            int group,
            int count,
            long expected,
            Set<Integer> planes,
            boolean noSwitch,
            List<String> hosts,
            List<Finding.Place> switches) {
        /** Such as {@code n1 has 7 of 8 devices}, or {@code 2 hosts have 7 of 8 devices, none on plane 3: n[1-2]}. */
        String words() {
            String none = planes.isEmpty()
                    ? ""
                    : ", none on plane " + planes.stream().map(String::valueOf).collect(Collectors.joining(", "));
            String devices = count + " of " + expected + " devices" + none;
            return hosts.size() == 1
                    ? hosts.getFirst() + " has " + devices
                    : hosts.size() + " hosts have " + devices + ": " + HostList.compress(hosts);
        }

        Finding finding() {
            return new Finding(FindingType.MissingRail, HostList.compress(hosts), words(), switches, hosts);
        }
    }

    /** What hosts have in common that {@link MissingRails} tells together. */
    private record Lack(int group, int count, long expected, Set<Integer> planes) {}

    /** Hosts with fewer devices than those like them, those together that lack the same. */
    List<MissingRails> missingRails() {
        Map<String, Long> expected = expectedDevices();
        Map<Lack, List<String>> alike = new LinkedHashMap<>();
        for (String host : new TreeSet<>(expected.keySet())) {
            List<Integer> ends = endsOf(host);
            long usual = expected.getOrDefault(host, 0L);
            if (ends.size() < usual) {
                int group = wiring.classification().groupOfEnd()[ends.getFirst()];
                alike.computeIfAbsent(
                                new Lack(group, ends.size(), usual, missingPlanes(ends)), lack -> new ArrayList<>())
                        .add(host);
            }
        }
        List<MissingRails> found = new ArrayList<>();
        alike.forEach((lack, hosts) -> found.add(new MissingRails(
                lack.group(),
                lack.count(),
                lack.expected(),
                lack.planes(),
                !lack.planes().isEmpty() && planesOfGroup(lack.group()).stream().noneMatch(lack.planes()::contains),
                hosts,
                wiring.places(switchesOf(lack, hosts)))));
        return found;
    }

    private List<Integer> switchesOf(Lack lack, List<String> hosts) {
        Set<Integer> switches = new TreeSet<>();
        for (int at = 0; at < topology.switches() && !lack.planes().isEmpty(); at++) {
            if (wiring.group(at) == lack.group()
                    && wiring.level(at) == 1
                    && lack.planes().contains(wiring.classification().planeOfSwitch()[at])) {
                switches.add(at);
            }
        }
        if (switches.isEmpty()) {
            hosts.forEach(host -> endsOf(host).forEach(end -> switches.add(topology.endSwitch(end))));
        }
        return List.copyOf(switches);
    }

    private List<Integer> endsOf(String host) {
        return endsOfHost.getOrDefault(host, List.of());
    }

    /**
     * How many devices a host should have, for hosts of which that can be told: as many as most hosts, unless its name is of
     * another family than theirs. Login nodes and servers are such; where there are enough of a family, and most have as many
     * as each other, that many.
     */
    private Map<String, Long> expectedDevices() {
        Frequencies all = new Frequencies();
        Map<String, Frequencies> ofFamily = new HashMap<>();
        Map<String, List<Integer>> hosts = new HashMap<>(endsOfHost);
        hosts.keySet().removeIf(exempt::contains);
        hosts.forEach((host, ends) -> {
            all.add(ends.size(), 1);
            ofFamily.computeIfAbsent(family(host), f -> new Frequencies()).add(ends.size(), 1);
        });
        boolean isPattern = hosts.size() >= ENOUGH_HOSTS && all.modeShare() >= ClassifiedTopology.PATTERN;
        Set<String> usual = new HashSet<>();
        int largest = 0;
        for (Frequencies family : ofFamily.values()) {
            largest = Math.max(largest, family.total());
        }
        // Names without families, as in a cloud, tell nothing of what their hosts are for.
        boolean namesTell = largest >= ENOUGH_HOSTS;
        hosts.forEach((host, ends) -> {
            if (ends.size() >= all.mode()) {
                usual.add(family(host));
            }
        });
        Map<String, Long> expected = new HashMap<>();
        for (String host : hosts.keySet()) {
            Frequencies family = Objects.requireNonNull(ofFamily.get(family(host)));
            if (isPattern && (!namesTell || usual.contains(family(host)))) {
                expected.put(host, all.mode());
            } else if (namesTell
                    && family.total() >= ENOUGH_HOSTS
                    && family.modeShare() >= ClassifiedTopology.PATTERN) {
                expected.put(host, family.mode());
            }
        }
        return expected;
    }

    /** A host's name without its numbers: {@code login} of {@code login2}. */
    private static String family(String host) {
        return NUMBERS.matcher(host).replaceAll("");
    }

    private Set<Integer> missingPlanes(List<Integer> ends) {
        if (wiring.classification().kind() != FabricKind.RailOptimized) {
            return Set.of();
        }
        Set<Integer> missing = new TreeSet<>(cabledPlanes);
        ends.forEach(end -> missing.remove(wiring.classification().planeOfEnd()[end]));
        return missing;
    }

    private Set<Integer> planesOfGroup(int group) {
        Set<Integer> planes = new HashSet<>();
        for (int at = 0; at < topology.switches(); at++) {
            if (wiring.group(at) == group && wiring.level(at) == 1) {
                planes.add(wiring.classification().planeOfSwitch()[at]);
            }
        }
        return planes;
    }

    /** A host's switches in the order of its devices' names, where all of them have one. */
    private record CabledHost(String host, int[] ends, int[] switches) {}

    private record MisplacedDevice(String host, int end, int expected, int actual) {}

    /**
     * A host whose devices are on the same switches as those of at least two other hosts, except for one device: that device
     * is expected on the switch of the others. Two such devices, each on the switch where the other is expected, have
     * swapped cables.
     */
    List<Finding> swapped() {
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
                "the cables of " + name(one) + " at " + place(one).words() + " and " + name(other) + " at "
                        + place(other).words() + " are swapped: each is where the peers of the other are",
                List.of(place(one), place(other)),
                one.host().equals(other.host()) ? List.of(one.host()) : List.of(one.host(), other.host()));
    }

    private Finding.Place place(MisplacedDevice stray) {
        return wiring.place(stray.actual(), topology.endSwitchPort(stray.end()));
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
