/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.lft;

import dev.fabricoperator.fabric.cabling.Problem;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Forwarding tables of the switches of one subnet or of several. Immutable. */
public final class ForwardingTables {
    private static final int[] NO_LIDS = {};

    private final Map<String, ForwardingTable> tables;
    private final Map<String, int[]> lidsOfPort;
    private final List<Problem> problems;

    /** @param lidsOfPort ascending, by port GUID of 16 lower-case hex digits */
    ForwardingTables(Map<String, ForwardingTable> tables, Map<String, int[]> lidsOfPort, List<Problem> problems) {
        this.tables = Collections.unmodifiableMap(tables);
        this.lidsOfPort = lidsOfPort;
        this.problems = List.copyOf(problems);
    }

    /** What several texts say together. Of two tables of a switch that differ the first one counts, and that is a problem. */
    public static ForwardingTables of(List<ForwardingTables> texts) {
        if (texts.size() == 1) {
            return texts.getFirst();
        }
        Map<String, ForwardingTable> tables = new TreeMap<>();
        Map<String, int[]> lids = new HashMap<>();
        List<Problem> problems = new ArrayList<>();
        for (ForwardingTables text : texts) {
            problems.addAll(text.problems);
            text.lidsOfPort.forEach(lids::putIfAbsent);
            for (ForwardingTable table : text.tables.values()) {
                ForwardingTable before = tables.putIfAbsent(table.switchId(), table);
                if (before != null && !before.says(table)) {
                    problems.add(new Problem(
                            table.file(),
                            table.line(),
                            "switch " + table.switchId() + " has another table at " + before.file() + ":"
                                    + before.line() + ", which counts",
                            false));
                }
            }
        }
        return new ForwardingTables(tables, lids, problems);
    }

    /** {@code null} for a switch whose table nobody says. */
    public @Nullable ForwardingTable of(String switchId) {
        return tables.get(switchId);
    }

    /** Ascending by switch. */
    public Collection<ForwardingTable> all() {
        return tables.values();
    }

    /**
     * All LIDs of a port, ascending: 2 to the power of its LMC, of which the first is its base LID. Empty where the texts do not name ports, or not this
     * one.
     *
     * @param portGuid 16 lower-case hex digits
     */
    public int[] lidsOfPort(String portGuid) {
        return lidsOfPort.getOrDefault(portGuid, NO_LIDS).clone();
    }

    /** Whether the texts say which ports LIDs belong to. */
    public boolean namePorts() {
        return !lidsOfPort.isEmpty();
    }

    /** Whether the same switches send the same LIDs to the same ports; whose the LIDs are is not compared. Cost: O(LIDs of all tables). */
    public boolean saysTheSameAs(ForwardingTables other) {
        return tables.keySet().equals(other.tables.keySet())
                && tables.values().stream()
                        .allMatch(table -> table.says(Objects.requireNonNull(other.of(table.switchId()))));
    }

    /** What was tolerated, in the order of the texts. */
    public List<Problem> problems() {
        return problems;
    }

    /**
     * How these tables and a map do not fit: tables of switches that it does not have, and switches of it without a table.
     *
     * @param switches ids of all switches of the map, to what they are called
     */
    public List<Problem> against(Map<String, String> switches) {
        List<Problem> found = new ArrayList<>();
        Map<String, ForwardingTable> strange = new LinkedHashMap<>(tables);
        Set<String> known = switches.keySet();
        strange.keySet().removeAll(known);
        if (!strange.isEmpty()) {
            ForwardingTable first = strange.values().iterator().next();
            found.add(new Problem(
                    first.file(),
                    first.line(),
                    strange.size() == tables.size()
                            ? "none of these " + tables.size() + " tables is of a switch of the map, the first of "
                                    + first.switchId() + ": they are of another subnet"
                            : strange.size() + " of " + tables.size() + " tables are of switches that the map does not"
                                    + " have, the first of " + first.switchId(),
                    false));
        }
        List<String> without =
                known.stream().filter(id -> !tables.containsKey(id)).sorted().toList();
        if (!without.isEmpty() && strange.size() < tables.size()) {
            String id = without.getFirst();
            found.add(new Problem(
                    null,
                    without.size() + " of " + known.size() + " switches of the map have no forwarding table, the first"
                            + " is " + switches.get(id) + (id.equals(switches.get(id)) ? "" : " (" + id + ")")));
        }
        return found;
    }
}
