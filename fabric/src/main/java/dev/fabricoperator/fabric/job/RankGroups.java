/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/**
 * Keeps groups of parts that follow one another, as ranks of a tensor or expert group do, in one unit of the fabric.
 *
 * <p>Of an order in which neighbours are near each other, each run of parts at the lowest cost gives as many whole groups as it has; what is left over forms
 * groups at the next higher cost, and so on. Where costs are those of a tree, no group spans a larger unit than it must with what finer units have left. The
 * groups follow one another as their first parts did, and what makes no whole group comes last.
 */
public final class RankGroups {
    private RankGroups() {}

    /**
     * O(parts times different costs), and a row of costs for each part.
     *
     * @param order as {@link PartOrder} makes it
     * @param size parts of a group; 1 changes nothing
     */
    public static int[] of(PartCosts costs, int[] order, int size) {
        if (size < 2) {
            return order;
        }
        Map<Integer, Integer> placeOf = new HashMap<>();
        for (int at = 0; at < order.length; at++) {
            placeOf.put(order[at], at);
        }
        List<List<Integer>> groups = new ArrayList<>();
        List<Integer> left = new ArrayList<>(Arrays.stream(order).boxed().toList());
        short[] row = new short[order.length];
        while (left.size() >= size) {
            int[] toNext = new int[left.size() - 1];
            TreeSet<Integer> levels = new TreeSet<>();
            for (int at = 0; at < toNext.length; at++) {
                costs.row(left.get(at), row);
                toNext[at] = Short.toUnsignedInt(row[left.get(at + 1)]);
                levels.add(toNext[at]);
            }
            int before = left.size();
            for (int level : levels) {
                left = withoutGroups(left, toNext, level, size, groups);
                if (left.size() < before) {
                    break;
                }
            }
        }
        groups.sort(
                Comparator.comparing((List<Integer> group) -> Objects.requireNonNull(placeOf.get(group.getFirst()))));
        groups.add(left);
        return groups.stream().flatMap(List::stream).mapToInt(Integer::intValue).toArray();
    }

    /** Takes whole groups from the runs whose neighbours cost no more than that, and returns the others in their order. */
    private static List<Integer> withoutGroups(
            List<Integer> parts, int[] toNext, int level, int size, List<List<Integer>> groups) {
        List<Integer> left = new ArrayList<>();
        for (int from = 0, to; from < parts.size(); from = to) {
            to = from + 1;
            while (to < parts.size() && toNext[to - 1] <= level) {
                to++;
            }
            int whole = from + (to - from) / size * size;
            for (int at = from; at < whole; at += size) {
                groups.add(List.copyOf(parts.subList(at, at + size)));
            }
            left.addAll(parts.subList(whole, to));
        }
        return left;
    }
}
