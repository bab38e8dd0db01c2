/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Numbers the rails so that a rail has one number in all units.
 *
 * <p>Where rails have spines of their own, the wiring tells which leaves are one rail. Where all leaves share the spines it
 * does not; then a rail has the number that most hosts' kernels gave to the devices on its leaves, which is what programs
 * see.
 */
final class RailNumbers {
    private final Topology topology;
    private final EdgeHops hops;
    private final Rails rails;
    private final long[] ordinalOfEdge;

    private RailNumbers(Topology topology, EdgeHops hops, Rails rails) {
        this.topology = topology;
        this.hops = hops;
        this.rails = rails;
        ordinalOfEdge = Ordinals.ofEdges(topology, hops);
    }

    /** Rail of each leaf; 0 for a leaf that is in no unit and that nothing marks as one of a rail. */
    static int[] of(Topology topology, EdgeHops hops, Rails rails) {
        RailNumbers numbers = new RailNumbers(topology, hops, rails);
        Collection<List<Integer>> units = numbers.units();
        long[] bySpines = numbers.leavesOfOneSpineSet();
        if (numbers.tellsRails(units, bySpines)) {
            return numbers.ranked(units, numbers.orderedByOrdinal(bySpines));
        }
        if (numbers.tellsRails(units, numbers.ordinalOfEdge)) {
            return numbers.ranked(units, numbers.ordinalOfEdge);
        }
        return numbers.unitByUnit(units);
    }

    private Collection<List<Integer>> units() {
        Map<Integer, List<Integer>> units = new TreeMap<>();
        for (int edge = 0; edge < hops.size(); edge++) {
            if (rails.unitOfEdge()[edge] >= 0) {
                units.computeIfAbsent(rails.unitOfEdge()[edge], u -> new ArrayList<>())
                        .add(edge);
            }
        }
        return units.values();
    }

    /**
     * Whether no two leaves of a unit have the same mark, and units have marks in common: there are as many as rails, or
     * a few more where units lack different rails.
     */
    private boolean tellsRails(Collection<List<Integer>> units, long[] mark) {
        Set<Long> all = new HashSet<>();
        for (List<Integer> unit : units) {
            Set<Long> own = new HashSet<>();
            for (int edge : unit) {
                if (mark[edge] < 0 || !own.add(mark[edge])) {
                    return false;
                }
            }
            all.addAll(own);
        }
        return all.size() >= rails.rails() && all.size() < 2 * rails.rails();
    }

    private int[] ranked(Collection<List<Integer>> units, long[] mark) {
        TreeSet<Long> marks = new TreeSet<>();
        units.forEach(unit -> unit.forEach(edge -> marks.add(mark[edge])));
        int[] rail = new int[hops.size()];
        for (int edge = 0; edge < rail.length; edge++) {
            // Also for the last leaf of a unit, which makes no unit by itself.
            rail[edge] = marks.contains(mark[edge]) ? marks.headSet(mark[edge]).size() : 0;
        }
        return rail;
    }

    private int[] unitByUnit(Collection<List<Integer>> units) {
        int[] rail = new int[hops.size()];
        for (List<Integer> unit : units) {
            List<Integer> ordered = new ArrayList<>(unit);
            ordered.sort(Comparator.comparingLong((Integer edge) -> ordinalOfEdge[edge])
                    .thenComparingInt(edge -> edge));
            for (int i = 0; i < ordered.size(); i++) {
                rail[ordered.get(i)] = i;
            }
        }
        return rail;
    }

    /** Per leaf the smallest leaf with which it shares a switch above, directly or through others. */
    private long[] leavesOfOneSpineSet() {
        int[] levels = BreadthFirst.levels(topology, s -> hops.edgeOf(s) >= 0);
        int[] subtrees = Subtrees.upTo(topology, levels, 2);
        long[] mark = new long[hops.size()];
        for (int edge = 0; edge < mark.length; edge++) {
            mark[edge] = subtrees[hops.switchOf(edge)];
        }
        return mark;
    }

    private long[] orderedByOrdinal(long[] mark) {
        Map<Long, Long> smallest = new HashMap<>();
        for (int edge = 0; edge < mark.length; edge++) {
            if (rails.unitOfEdge()[edge] >= 0) {
                smallest.merge(mark[edge], Math.max(ordinalOfEdge[edge], 0), Math::min);
            }
        }
        long[] ordered = new long[mark.length];
        for (int edge = 0; edge < mark.length; edge++) {
            ordered[edge] = smallest.getOrDefault(mark[edge], 0L) << 32 | mark[edge];
        }
        return ordered;
    }
}
