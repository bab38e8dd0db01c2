/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.lldp;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tells switches from hosts by how they are cabled, where nothing that they announce tells.
 *
 * <p>A system with a cable to a host is a switch. Others are judged with those that call their ports alike: switches
 * have cables among each other, hosts have not; a Linux host's port goes by its MAC; hosts are more than the switches that
 * they hang on, and have fewer cables than these. Where all would be switches, names of ports tell.
 */
final class KindsByCables {
    /** No host has cables to more switches. */
    private static final int MOST_SWITCHES_OF_HOST = 16;

    private final Map<LldpSystem, Set<LldpSystem>> neighborsOf;
    private final Map<LldpSystem, Integer> cablesOf;

    private KindsByCables(Map<LldpSystem, Set<LldpSystem>> neighborsOf, Map<LldpSystem, Integer> cablesOf) {
        this.neighborsOf = neighborsOf;
        this.cablesOf = cablesOf;
    }

    /**
     * Gives each of {@code systems} a kind.
     *
     * @return those whose kind only their cables tell, in order
     */
    static List<LldpSystem> tell(
            Collection<LldpSystem> systems,
            Map<LldpSystem, Set<LldpSystem>> neighborsOf,
            Map<LldpSystem, Integer> cablesOf) {
        KindsByCables kinds = new KindsByCables(neighborsOf, cablesOf);
        List<LldpSystem> open = new ArrayList<>(systems);
        open.removeIf(system -> system.kind != SystemKind.UNKNOWN);
        List<LldpSystem> told = List.copyOf(open);
        kinds.switchesOfHosts(open);
        Map<String, List<LldpSystem>> families = new LinkedHashMap<>();
        open.forEach(system -> families.computeIfAbsent(system.family(), f -> new ArrayList<>())
                .add(system));
        List<List<LldpSystem>> order = new ArrayList<>(families.values());
        order.sort(Comparator.comparingDouble(kinds::meanCables));
        for (List<LldpSystem> family : order) {
            family.removeIf(system -> system.kind != SystemKind.UNKNOWN);
            if (!family.isEmpty() && kinds.areJoined(family)) {
                family.forEach(system -> system.kind = SystemKind.SWITCH);
            }
        }
        for (List<LldpSystem> family : order) {
            family.removeIf(system -> system.kind != SystemKind.UNKNOWN);
            if (!family.isEmpty()) {
                SystemKind kind = kinds.kindOf(family);
                family.forEach(system -> system.kind = kind);
                kinds.switchesOfHosts(open);
            }
        }
        if (systems.stream().noneMatch(system -> system.kind == SystemKind.HOST)) {
            kinds.tellHostsByNames(told);
        }
        return told;
    }

    /**
     * Where nothing else is a host: those are that hang on switches alone, in which levels of switches are cabled to each
     * other under common names of ports, and have names of their own. A few hosts with many cables look like spines, unless they have
     * cables to more switches than a host has. That they say they forward does not make them switches: nodes of Kubernetes do, too.
     */
    private void tellHostsByNames(List<LldpSystem> told) {
        Map<String, List<LldpSystem>> families = new LinkedHashMap<>();
        neighborsOf
                .keySet()
                .forEach(system -> families.computeIfAbsent(system.family(), f -> new ArrayList<>())
                        .add(system));
        Set<LldpSystem> joined = new HashSet<>();
        families.values().stream().filter(this::areJoined).forEach(joined::addAll);
        for (LldpSystem system : told) {
            Set<LldpSystem> neighbors = neighbors(system);
            if (!joined.contains(system)
                    && !neighbors.isEmpty()
                    && neighbors.size() <= MOST_SWITCHES_OF_HOST
                    && joined.containsAll(neighbors)) {
                system.kind = SystemKind.HOST;
            }
        }
    }

    private void switchesOfHosts(List<LldpSystem> open) {
        open.removeIf(system -> {
            if (system.kind == SystemKind.UNKNOWN
                    && neighbors(system).stream().anyMatch(n -> n.kind == SystemKind.HOST)) {
                system.kind = SystemKind.SWITCH;
            }
            return system.kind != SystemKind.UNKNOWN;
        });
    }

    private Set<LldpSystem> neighbors(LldpSystem system) {
        return neighborsOf.getOrDefault(system, Set.of());
    }

    private double meanCables(Collection<LldpSystem> systems) {
        return systems.stream()
                .mapToInt(s -> cablesOf.getOrDefault(s, 0))
                .average()
                .orElse(0);
    }

    /** Whether there is a cable between two of them; two alone may be hosts back to back. */
    private boolean areJoined(List<LldpSystem> family) {
        Set<LldpSystem> members = new HashSet<>(family);
        return family.stream()
                .anyMatch(s -> neighbors(s).size() > 1 && neighbors(s).stream().anyMatch(members::contains));
    }

    private SystemKind kindOf(List<LldpSystem> family) {
        Set<LldpSystem> above = new HashSet<>();
        family.forEach(system -> above.addAll(neighbors(system)));
        boolean hosts = family.stream().allMatch(LldpSystem::announcesMacs)
                || above.stream().allMatch(s -> s.kind == SystemKind.SWITCH)
                        && family.stream().noneMatch(LldpSystem::forwards)
                        && family.stream().allMatch(s -> neighbors(s).size() <= MOST_SWITCHES_OF_HOST);
        if (hosts) {
            return SystemKind.HOST;
        }
        double cables = meanCables(family);
        boolean few = family.size() < above.size() || family.size() == above.size() && cables >= meanCables(above);
        return few && cables > 1 || cables > meanCables(above) ? SystemKind.SWITCH : SystemKind.HOST;
    }
}
