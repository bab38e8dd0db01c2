/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.lldp;

import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.NodeId;
import dev.fabricoperator.fabric.cabling.lldp.LldpNeighbor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The systems that a text speaks of, by chassis ID; by name where one ID belongs to several. */
final class LldpSystems {
    private final Map<String, LldpSystem> byId = new LinkedHashMap<>();
    private final Map<String, List<LldpSystem>> byName = new HashMap<>();
    private final Map<String, List<LldpSystem>> byShortName = new HashMap<>();
    private final Map<String, Set<String>> namesOfId = new HashMap<>();

    /** @param neighbors all that the text speaks of */
    LldpSystems(Collection<LldpNeighbor> neighbors, CablingCollector collector) {
        Map<String, Integer> lines = new HashMap<>();
        for (LldpNeighbor neighbor : neighbors) {
            String id = neighbor.id();
            if (id != null && neighbor.chassisName() != null) {
                namesOfId.computeIfAbsent(id, i -> new TreeSet<>()).add(shortName(neighbor.chassisName()));
                lines.putIfAbsent(id, neighbor.line());
            }
        }
        namesOfId.forEach((id, names) -> {
            if (names.size() > 1) {
                collector.problem(
                        lines.getOrDefault(id, 1),
                        "chassis ID " + id + " is that of several systems, which go by their names: "
                                + CablingCollector.printable(String.join(", ", names)));
            }
        });
        for (LldpNeighbor neighbor : neighbors) {
            LldpSystem system = of(neighbor);
            if (system != null) {
                system.collect(neighbor);
            }
        }
    }

    Collection<LldpSystem> all() {
        return List.copyOf(byId.values());
    }

    /** {@code null} for a neighbour that has neither a chassis ID nor a name of use. */
    @Nullable
    LldpSystem of(LldpNeighbor neighbor) {
        String id = neighbor.id();
        if (id == null) {
            return null;
        }
        String name = neighbor.chassisName();
        if (name != null && namesOfId.getOrDefault(id, Set.of()).size() > 1) {
            String spelled = NodeId.of(shortName(name));
            id = NodeId.isUsable(spelled) ? spelled : id;
        }
        return add(id, name, neighbor.line());
    }

    /** The system with a chassis ID, made where nobody has heard of it. */
    @Nullable
    LldpSystem withChassis(String chassisId, @Nullable String name, int line) {
        String id = NodeId.of(chassisId.strip());
        return NodeId.isUsable(id) && namesOfId.getOrDefault(id, Set.of()).size() < 2 ? add(id, name, line) : null;
    }

    /**
     * The system of a name: in any case, with or without its domain.
     *
     * @return {@code null} where there is none or it could be one of several
     */
    @Nullable
    LldpSystem named(String name) {
        List<LldpSystem> exact = byName.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
        if (exact.size() == 1) {
            return exact.getFirst();
        }
        List<LldpSystem> some = exact.isEmpty() ? byShortName.getOrDefault(shortName(name), List.of()) : List.of();
        return some.size() == 1 ? some.getFirst() : null;
    }

    /** The system of a name, made where there is none; of several, the one that most have heard. */
    @Nullable
    LldpSystem namedOrNew(String name, int line) {
        List<LldpSystem> some = new ArrayList<>(byName.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()));
        some.sort(Comparator.comparingInt((LldpSystem s) -> -s.reports()).thenComparing(LldpSystem::id));
        if (!some.isEmpty()) {
            return some.getFirst();
        }
        String id = NodeId.of(name.strip());
        return NodeId.isUsable(id) ? add(id, name.strip(), line) : null;
    }

    private LldpSystem add(String id, @Nullable String name, int line) {
        LldpSystem known = byId.get(id);
        if (known != null) {
            return known;
        }
        LldpSystem system = new LldpSystem(id, name, line);
        byId.put(id, system);
        if (name != null) {
            byName.computeIfAbsent(name.toLowerCase(Locale.ROOT), n -> new ArrayList<>(1))
                    .add(system);
            byShortName
                    .computeIfAbsent(shortName(name), n -> new ArrayList<>(1))
                    .add(system);
        }
        return system;
    }

    private static String shortName(String name) {
        String lower = name.strip().toLowerCase(Locale.ROOT);
        int dot = lower.indexOf('.');
        // An address is no name with a domain.
        boolean address = lower.chars().allMatch(c -> c == '.' || c >= '0' && c <= '9');
        return dot > 0 && !address ? lower.substring(0, dot) : lower;
    }
}
