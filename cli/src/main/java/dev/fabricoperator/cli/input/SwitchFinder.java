/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import dev.fabricoperator.fabric.cabling.DisplayText;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.cabling.NaturalOrder;
import dev.fabricoperator.fabric.cabling.Switch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds switches by their names, in any case, or ids. */
public final class SwitchFinder {
    private static final int SHOWN = 5;

    private final List<Switch> switches;
    private final Map<String, List<Switch>> byName = new HashMap<>();

    public SwitchFinder(List<Switch> switches) {
        this.switches = List.copyOf(switches);
        for (Switch one : switches) {
            add(one.id(), one);
            if (one.name() != null && !one.name().equals(one.id())) {
                add(one.name(), one);
            }
        }
    }

    private void add(String name, Switch one) {
        byName.computeIfAbsent(name.toLowerCase(Locale.ROOT), n -> new ArrayList<>(1))
                .add(one);
    }

    /** Those of that name or id; none where there is none. */
    List<Switch> named(String name) {
        return byName.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
    }

    /**
     * @param name or a list of them, such as {@code leaf-[01-04]}
     * @throws Failure if one of the names is no switch's
     */
    public Set<Switch> findAll(String name) throws Failure {
        Set<Switch> found = new LinkedHashSet<>(named(name));
        if (found.isEmpty()) {
            for (String one : expanded(name)) {
                List<Switch> ofName = named(one);
                if (ofName.isEmpty()) {
                    throw Failure.wrongUsage("no switch and no file is called '" + one + "'" + meant(one));
                }
                found.addAll(ofName);
            }
        }
        return found;
    }

    /** The names of a host list, at least one. */
    public static List<String> expanded(String list) throws Failure {
        if (list.indexOf('[') < 0 && list.indexOf(',') < 0 && !list.startsWith("\"")) {
            return List.of(list);
        }
        try {
            List<String> names = HostList.expand(list, 1 << 16);
            if (names.isEmpty()) {
                throw Failure.wrongUsage("'" + list + "' names nothing");
            }
            return names;
        } catch (HostList.BadHostList e) {
            throw Failure.wrongUsage("'" + list + "': " + e.getMessage());
        }
    }

    private String meant(String name) {
        String beginning = name.substring(0, Math.min(2, name.length())).toLowerCase(Locale.ROOT);
        String near = switches.stream()
                .map(one -> Objects.requireNonNullElse(one.name(), one.id()))
                .filter(known -> known.toLowerCase(Locale.ROOT).startsWith(beginning)
                        && known.codePoints().allMatch(DisplayText::isShown))
                .sorted(NaturalOrder.INSTANCE)
                .limit(SHOWN)
                .collect(Collectors.joining(", "));
        return near.isEmpty()
                ? "; 'kubectl fabric topology' lists the switches"
                : "; did you mean one of " + near + "?";
    }
}
