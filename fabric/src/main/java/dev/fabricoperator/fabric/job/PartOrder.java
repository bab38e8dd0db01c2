/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.job;

import java.util.Arrays;

/**
 * An order in which parts that follow one another are near each other: an open tour.
 *
 * <p>From the first part always on to the nearest that is left, the earlier one of equals; that is the best there is where
 * costs are those of a tree. Elsewhere, in tori and between groups of a dragonfly, pieces of the way are then turned round as
 * long as that makes it cheaper (2-opt), for up to {@value #IMPROVED} parts.
 *
 * @see "Rosenkrantz, Stearns, Lewis: An analysis of several heuristics for the traveling salesman problem (1977); Croes: A
 *     method for solving traveling-salesman problems (1958)"
 */
public final class PartOrder {
    private static final int IMPROVED = 512;
    private static final int ROUNDS = 8;

    private PartOrder() {}

    /** Never dearer than the order 0, 1, 2, ... O(parts squared), and a row of costs for each. */
    public static int[] of(PartCosts costs) {
        int[] order = nearestNext(costs);
        if (order.length <= IMPROVED) {
            turnPieces(costs, order);
        }
        int[] asItIs = new int[costs.parts()];
        Arrays.setAll(asItIs, i -> i);
        return PlacementCost.betweenNeighbors(costs, order) < PlacementCost.betweenNeighbors(costs, asItIs)
                ? order
                : asItIs;
    }

    private static int[] nearestNext(PartCosts costs) {
        int[] order = new int[costs.parts()];
        boolean[] taken = new boolean[order.length];
        short[] row = new short[order.length];
        for (int i = 0, at = 0; i < order.length; i++) {
            order[i] = at;
            taken[at] = true;
            int next = -1;
            int best = Integer.MAX_VALUE;
            costs.row(at, row);
            for (int other = 0; other < order.length; other++) {
                int cost = taken[other] ? Integer.MAX_VALUE : Short.toUnsignedInt(row[other]);
                if (cost < best) {
                    best = cost;
                    next = other;
                }
            }
            at = next;
        }
        return order;
    }

    private static void turnPieces(PartCosts costs, int[] order) {
        int[][] cost = table(costs);
        boolean better = true;
        for (int round = 0; better && round < ROUNDS; round++) {
            better = false;
            for (int from = 1; from < order.length - 1; from++) {
                for (int to = from + 1; to < order.length; to++) {
                    int before = cost[order[from - 1]][order[from]];
                    int after = cost[order[from - 1]][order[to]];
                    if (to + 1 < order.length) {
                        before += cost[order[to]][order[to + 1]];
                        after += cost[order[from]][order[to + 1]];
                    }
                    if (after < before) {
                        turn(order, from, to);
                        better = true;
                    }
                }
            }
        }
    }

    private static int[][] table(PartCosts costs) {
        int[][] table = new int[costs.parts()][costs.parts()];
        short[] row = new short[table.length];
        for (int from = 0; from < table.length; from++) {
            costs.row(from, row);
            int[] own = table[from];
            Arrays.setAll(own, to -> Short.toUnsignedInt(row[to]));
        }
        return table;
    }

    private static void turn(int[] order, int from, int to) {
        for (int low = from, high = to; low < high; low++, high--) {
            int kept = order[low];
            order[low] = order[high];
            order[high] = kept;
        }
    }
}
