/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds.mapping;

import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.PortState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Every switch once, merged from what the sources say of it.
 *
 * <p>A person's word goes before a source's, and of two sources the one whose name comes first; each attribute and each
 * port is taken from the first that knows it. Who was last to write does not matter.
 *
 * @param <S> what is kept of an object
 * @param switches by id
 * @param objects by id, the FabricSwitch objects that speak of it
 * @param contradictions two sources that name different far ends of one port, in words
 */
public record SwitchMerge<S extends SwitchStatement>(
        SortedMap<String, Switch> switches, SortedMap<String, List<S>> objects, List<Contradiction> contradictions) {
    /** Of two sources about one switch, in words. */
    public record Contradiction(String switchId, String text) {}

    private static final Comparator<SwitchStatement> PRECEDENCE =
            Comparator.comparing(SwitchStatement::source).thenComparing(SwitchStatement::name);

    public static <S extends SwitchStatement> SwitchMerge<S> merge(Collection<S> facts) {
        SortedMap<String, List<S>> objects = new TreeMap<>();
        for (S fact : facts) {
            objects.computeIfAbsent(fact.cabling().id(), id -> new ArrayList<>())
                    .add(fact);
        }
        SortedMap<String, Switch> switches = new TreeMap<>();
        List<Contradiction> contradictions = new ArrayList<>();
        objects.forEach((id, of) -> {
            of.sort(PRECEDENCE);
            switches.put(id, of.size() == 1 ? of.getFirst().cabling() : merged(id, of, contradictions));
        });
        return new SwitchMerge<>(switches, objects, List.copyOf(contradictions));
    }

    private static Switch merged(
            String id, List<? extends SwitchStatement> objects, List<Contradiction> contradictions) {
        SortedMap<Integer, List<SwitchStatement>> byPort = new TreeMap<>();
        for (SwitchStatement object : objects) {
            object.cabling()
                    .ports()
                    .forEach(port -> byPort.computeIfAbsent(port.number(), n -> new ArrayList<>())
                            .add(object));
        }
        List<SwitchPort> ports = new ArrayList<>();
        byPort.forEach((number, of) -> ports.add(mergedPort(id, number, of, contradictions)));
        List<Switch> said = objects.stream().map(SwitchStatement::cabling).toList();
        return new Switch(
                id,
                first(said, Switch::name),
                first(said, Switch::vendor),
                first(said, Switch::model),
                first(said, Switch::chassis),
                said.getFirst().source(),
                ports);
    }

    private static SwitchPort mergedPort(
            String id, int number, List<SwitchStatement> objects, List<Contradiction> contradictions) {
        List<SwitchPort> said = objects.stream()
                .flatMap(object -> object.cabling().ports().stream())
                .filter(port -> port.number() == number)
                .toList();
        long farEnds = said.stream()
                .map(SwitchPort::peer)
                .filter(Objects::nonNull)
                .distinct()
                .count();
        if (farEnds > 1) {
            contradictions.add(new Contradiction(
                    id,
                    "port " + number + " of " + id + ": "
                            + String.join(
                                    " and ",
                                    objects.stream().map(SwitchStatement::name).toList())
                            + " name different far ends; the first counts"));
        }
        PortState state = said.stream()
                .map(SwitchPort::state)
                .filter(s -> s != PortState.Unknown)
                .findFirst()
                .orElse(PortState.Unknown);
        return new SwitchPort(
                number,
                first(said, SwitchPort::peer),
                state,
                first(said, SwitchPort::speedBitsPerSecond),
                first(said, SwitchPort::width),
                first(said, SwitchPort::lid),
                first(said, SwitchPort::peerHost),
                first(said, SwitchPort::peerOsName));
    }

    private static <T, V> @Nullable V first(List<T> said, Function<T, @Nullable V> attribute) {
        for (T one : said) {
            V value = attribute.apply(one);
            if (value != null) {
                return value;
            }
        }
        return null;
    }
}
