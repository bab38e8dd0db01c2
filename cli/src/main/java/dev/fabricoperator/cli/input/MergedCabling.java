/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Several dumps as one: dumps of several subnets, or of one that was scanned from several sides. What a dump says of a
 * node or port stands; a dump named later adds the nodes and ports that no earlier one knows.
 */
final class MergedCabling {
    private MergedCabling() {}

    /** @param cablings at least one */
    static Cabling of(List<Cabling> cablings) {
        if (cablings.size() == 1) {
            return cablings.getFirst();
        }
        Map<String, Switch> switches = new TreeMap<>();
        Map<String, Adapter> adapters = new TreeMap<>();
        List<Problem> problems = new ArrayList<>();
        int aggregationNodes = 0;
        for (Cabling cabling : cablings) {
            cabling.switches().forEach(s -> switches.merge(s.id(), s, MergedCabling::both));
            cabling.adapters().forEach(a -> adapters.merge(a.id(), a, MergedCabling::both));
            problems.addAll(cabling.problems());
            aggregationNodes += cabling.aggregationNodes();
        }
        return new Cabling(
                cablings.getFirst().source(),
                List.copyOf(switches.values()),
                List.copyOf(adapters.values()),
                aggregationNodes,
                problems);
    }

    private static Switch both(Switch first, Switch second) {
        Map<Integer, SwitchPort> ports = new TreeMap<>();
        second.ports().forEach(p -> ports.put(p.number(), p));
        first.ports().stream()
                .filter(p -> p.peer() != null || !ports.containsKey(p.number()))
                .forEach(p -> ports.put(p.number(), p));
        return new Switch(
                first.id(),
                first.name(),
                first.vendor(),
                first.model(),
                first.chassis(),
                first.source(),
                List.copyOf(ports.values()));
    }

    private static Adapter both(Adapter first, Adapter second) {
        Map<Integer, AdapterPort> ports = new TreeMap<>();
        second.ports().forEach(p -> ports.put(p.number(), p));
        first.ports().stream()
                .filter(p -> p.peer() != null || !ports.containsKey(p.number()))
                .forEach(p -> ports.put(p.number(), p));
        return new Adapter(
                first.id(),
                first.hostname(),
                first.osName(),
                first.description(),
                first.vendorId(),
                first.deviceId(),
                first.systemImageGuid(),
                List.copyOf(ports.values()));
    }
}
