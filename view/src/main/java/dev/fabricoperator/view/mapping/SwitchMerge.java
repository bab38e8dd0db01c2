/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Every switch once, merged from what the sources say of it.
 *
 * <p>Each attribute is taken from the first that knows it. For names and cables a person's statement goes before all, then live
 * sources before records: a sweep, UFM, LLDP, a dump, a list of cables, Slurm. State, speed, width and LID come from the
 * freshest, where a person's statement stands behind the live ones. A sweep and UFM see all cables of the switches that they
 * describe, so that a record adds none to these. Who was last to write does not matter.
 *
 * <p>Cost: O(ports) where one source speaks of each switch, O(ports log sources) else.
 *
 * @param <S> what is kept of an object
 * @param switches by id
 * @param objects by id, the FabricSwitch objects that speak of it, the first statement first
 * @param contradictions in the order of switches and ports
 * @see "docs/topology-sources.md, Several sources"
 */
public record SwitchMerge<S extends SwitchStatement>(
        SortedMap<String, Switch> switches, SortedMap<String, List<S>> objects, List<Contradiction> contradictions) {
    /** Two objects about one port, in statements that name both and what they say. */
    public record Contradiction(String switchId, String text) {}

    /** Without a walk over the whole fabric. */
    @Override
    public int hashCode() {
        return Objects.hash(switches.size(), objects.size(), contradictions);
    }

    public static <S extends SwitchStatement> SwitchMerge<S> merge(Collection<S> facts) {
        SortedMap<String, List<S>> objects = new TreeMap<>();
        for (S fact : facts) {
            objects.computeIfAbsent(fact.switchId(), id -> new ArrayList<>()).add(fact);
        }
        SortedMap<String, Switch> switches = new TreeMap<>();
        List<Contradiction> contradictions = new ArrayList<>();
        objects.forEach((id, of) -> {
            of.sort(SourceRank.CABLING);
            switches.put(id, of.size() == 1 ? of.getFirst().cabling() : merged(id, of, contradictions));
        });
        if (facts.stream().map(SourceRank::of).distinct().count() > 1) {
            withoutVanishedCables(switches, objects, contradictions);
        }
        return new SwitchMerge<>(switches, objects, List.copyOf(contradictions));
    }

    private static Switch merged(
            String id, List<? extends SwitchStatement> objects, List<Contradiction> contradictions) {
        SortedMap<Integer, List<PortMerge.PortStatement>> byPort = new TreeMap<>();
        for (SwitchStatement object : objects) {
            for (SwitchPort port : object.cabling().ports()) {
                byPort.computeIfAbsent(port.number(), n -> new ArrayList<>())
                        .add(new PortMerge.PortStatement(object, port));
            }
        }
        PortMerge merge = new PortMerge(id, objects, contradictions);
        List<SwitchPort> ports = new ArrayList<>();
        byPort.forEach((number, statements) -> ports.add(merge.port(number, statements)));
        List<Switch> stated = objects.stream().map(SwitchStatement::cabling).toList();
        return new Switch(
                id,
                first(stated, Switch::name),
                first(stated, Switch::vendor),
                first(stated, Switch::model),
                first(stated, Switch::chassis),
                stated.getFirst().source(),
                ports);
    }

    /**
     * A record still has the cables of a switch that is off. Where they led, a live source sees that they are gone: without
     * this the dead switch would stay part of the fabric, cabled one way.
     */
    private static <S extends SwitchStatement> void withoutVanishedCables(
            SortedMap<String, Switch> switches,
            SortedMap<String, List<S>> objects,
            List<Contradiction> contradictions) {
        Map<String, SwitchStatement> live = new HashMap<>();
        objects.forEach((id, of) -> of.stream()
                .filter(object -> SourceRank.of(object).seesAllCables())
                .findFirst()
                .ifPresent(object -> live.put(id, object)));
        for (Map.Entry<String, Switch> entry : switches.entrySet()) {
            String id = entry.getKey();
            SwitchStatement first = objects.getOrDefault(id, List.of()).getFirst();
            if (live.containsKey(id) || SourceRank.of(first) == SourceRank.Person) {
                continue;
            }
            List<SwitchPort> ports = new ArrayList<>();
            for (SwitchPort port : entry.getValue().ports()) {
                PortPeer peer = port.peer();
                SwitchStatement witness = peer == null ? null : live.get(peer.id());
                if (peer == null || witness == null || leadsTo(witness.cabling(), id)) {
                    ports.add(port);
                    continue;
                }
                contradictions.add(new Contradiction(
                        id,
                        "port " + port.number() + " of " + id + ": " + first.name() + " says " + PortMerge.text(peer)
                                + ", " + witness.name() + " sees no such cable; the live one counts"));
            }
            entry.setValue(SwitchBuilder.from(entry.getValue()).withPorts(ports));
        }
    }

    private static boolean leadsTo(Switch from, String id) {
        return from.ports().stream()
                .anyMatch(port -> port.peer() != null && port.peer().id().equals(id));
    }

    private static <T, V> @Nullable V first(List<T> statements, Function<T, @Nullable V> attribute) {
        for (T one : statements) {
            V value = attribute.apply(one);
            if (value != null) {
                return value;
            }
        }
        return null;
    }
}
