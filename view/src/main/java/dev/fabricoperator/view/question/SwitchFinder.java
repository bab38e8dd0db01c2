/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.question;

import dev.fabricoperator.fabric.cabling.DisplayText;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.cabling.NaturalOrder;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.view.question.UnansweredException.Why;
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
    private static final int MOST_NAMES = 1 << 16;
    private static final int SHOWN = 5;
    private static final String FIELD = "switch";

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
     * @throws UnansweredException if one of the names is no switch's
     */
    public Set<Switch> findAll(String name) throws UnansweredException {
        Set<Switch> found = new LinkedHashSet<>(named(name));
        if (found.isEmpty()) {
            for (String one : expanded(FIELD, name)) {
                List<Switch> ofName = named(one);
                if (ofName.isEmpty()) {
                    throw new UnansweredException(
                            Why.MISSING, FIELD, "no switch and no file is called '" + one + "'" + meant(one));
                }
                found.addAll(ofName);
            }
        }
        return found;
    }

    /** Whether a text is written as a list of names. */
    public static boolean isList(String text) {
        return text.indexOf('[') >= 0 || text.indexOf(',') >= 0 || text.startsWith("\"");
    }

    /**
     * The names of a host list, at least one.
     *
     * @param field parameter of the question, for the message
     */
    public static List<String> expanded(String field, String list) throws UnansweredException {
        if (!isList(list)) {
            return List.of(list);
        }
        try {
            List<String> names = HostList.expand(list, MOST_NAMES);
            if (names.isEmpty()) {
                throw new UnansweredException(Why.WRONG, field, "'" + list + "' names nothing");
            }
            return names;
        } catch (HostList.BadHostList e) {
            throw new UnansweredException(Why.WRONG, field, "'" + list + "': " + e.getMessage());
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
