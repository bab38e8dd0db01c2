/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.FabricChange;
import dev.fabricoperator.crds.FabricChangeBuilder;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a generation brought, as the status of a Fabric keeps it. */
final class Changes {
    private static final int KEPT = 16;
    private static final int NAMES = 8;

    private Changes() {}

    /** The newest {@value #KEPT}, with one more. */
    static List<FabricChange> with(List<FabricChange> before, FabricChange next) {
        List<FabricChange> all = new ArrayList<>(before);
        all.add(next);
        return List.copyOf(all.subList(Math.max(0, all.size() - KEPT), all.size()));
    }

    /** The first generation, and the first after a restart where nobody knows what was before. */
    static FabricChange unknown(long generation, String time) {
        return FabricChangeBuilder.builder().generation(generation).time(time).build();
    }

    static FabricChange between(FabricState before, FabricState after, String time) {
        Map<String, Switch> then = byId(before.switches());
        Map<String, Switch> now = byId(after.switches());
        CableDiff cables = CableDiff.between(then, now);
        boolean sameDevices = before.vertices().equals(after.vertices());
        Set<String> devicesThen =
                sameDevices ? Set.of() : names(before.members().values());
        Set<String> devicesNow = sameDevices ? Set.of() : names(after.members().values());
        List<String> devicesGained = without(devicesNow, devicesThen);
        List<String> devicesLost = without(devicesThen, devicesNow);
        List<String> switchesGained = without(now.keySet(), then.keySet());
        List<String> switchesLost = without(then.keySet(), now.keySet());
        List<String> linksGained =
                cables.gained().stream().map(Flaps.Link::toString).sorted().toList();
        List<String> linksLost =
                cables.lost().stream().map(Flaps.Link::toString).sorted().toList();
        List<String> names = Stream.of(
                        signed("-switch ", switchesLost),
                        signed("-device ", devicesLost),
                        signed("-link ", linksLost),
                        signed("+switch ", switchesGained),
                        signed("+device ", devicesGained),
                        signed("+link ", linksGained))
                .flatMap(s -> s)
                .limit(NAMES)
                .toList();
        if (names.isEmpty()) {
            names = otherwise(before, after, then, now);
        }
        return new FabricChange(
                after.generation(),
                time,
                count(devicesGained),
                count(devicesLost),
                count(switchesGained),
                count(switchesLost),
                count(linksGained),
                count(linksLost),
                names);
    }

    /** What is another although nothing came or went: speeds, states, names, what administrators say. */
    private static List<String> otherwise(
            FabricState before, FabricState after, Map<String, Switch> then, Map<String, Switch> now) {
        List<String> names = new ArrayList<>();
        if (!before.model().options().weights().equals(after.model().options().weights())) {
            names.add("~drains");
        }
        if (!before.facts().spec().planes().equals(after.facts().spec().planes())) {
            names.add("~names of planes");
        }
        now.entrySet().stream()
                .filter(entry -> !entry.getValue().equals(then.get(entry.getKey())))
                .limit(NAMES - names.size())
                .forEach(entry -> names.add("~switch " + entry.getKey()));
        return List.copyOf(names);
    }

    private static Stream<String> signed(String sign, List<String> names) {
        return names.stream().limit(NAMES).map(sign::concat);
    }

    private static @Nullable Integer count(List<String> names) {
        return names.isEmpty() ? null : names.size();
    }

    private static Map<String, Switch> byId(List<Switch> switches) {
        Map<String, Switch> byId = new TreeMap<>();
        switches.forEach(s -> byId.put(s.id(), s));
        return byId;
    }

    private static Set<String> names(Collection<DeviceFacts> devices) {
        Set<String> names = HashSet.newHashSet(devices.size());
        devices.forEach(device -> names.add(device.name()));
        return names;
    }

    private static List<String> without(Set<String> names, Set<String> others) {
        return names.stream().filter(name -> !others.contains(name)).sorted().toList();
    }
}
