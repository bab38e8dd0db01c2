/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.job;

import dev.fabricoperator.fabric.cost.CostMatrix;

/**
 * What communication costs among the parts of a job.
 *
 * @param pairs of parts on different hosts that reach each other
 * @param mean over these pairs, 0 without any
 * @param worst of these pairs, 0 without any
 * @param unreachable pairs on different hosts of which one does not reach the other
 */
public record PlacementCost(long pairs, double mean, int worst, long unreachable) {

    /** O(parts squared), and a row of costs for each. */
    public static PlacementCost of(PartCosts costs) {
        short[] row = new short[costs.parts()];
        long sum = 0;
        long pairs = 0;
        long unreachable = 0;
        int worst = 0;
        for (int one = 0; one < costs.parts() - 1; one++) {
            costs.row(one, row);
            for (int other = one + 1; other < costs.parts(); other++) {
                if (costs.onOneHost(one, other)) {
                    continue;
                }
                int cost = Short.toUnsignedInt(row[other]);
                if (cost == CostMatrix.UNREACHABLE) {
                    unreachable++;
                } else {
                    pairs++;
                    sum += cost;
                    worst = Math.max(worst, cost);
                }
            }
        }
        return new PlacementCost(pairs, pairs == 0 ? 0 : (double) sum / pairs, worst, unreachable);
    }

    /** Mean between one part and the next in an order, over all such neighbours, those on one host included. */
    public static double betweenNeighbors(PartCosts costs, int[] order) {
        long sum = 0;
        for (int i = 1; i < order.length; i++) {
            sum += costs.cost(order[i - 1], order[i]);
        }
        return order.length < 2 ? 0 : (double) sum / (order.length - 1);
    }
}
