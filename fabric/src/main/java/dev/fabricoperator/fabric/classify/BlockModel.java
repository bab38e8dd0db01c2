/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import java.util.Arrays;

/**
 * How well a division into groups describes a wiring: neighbours within groups with one probability, across with another.
 *
 * <p>Of all divisions of a random wiring some fit by chance. None of them saves more bits in the description of the
 * wiring than it takes to say which division it is, but for one wiring in 2^m where m bits are saved on top.
 *
 * @see "Peixoto, Parsimonious module inference in large networks, PRL 2013"
 */
final class BlockModel {
    private static final double RAREST = 1e-3;

    private final int[] sizes;
    private final int within;
    private final int neighbors;

    /**
     * @param sizes nodes of each group
     * @param within pairs of neighbours in one group
     * @param neighbors all pairs of neighbours
     */
    BlockModel(int[] sizes, int within, int neighbors) {
        this.sizes = sizes;
        this.within = within;
        this.neighbors = neighbors;
    }

    /** @param neighbors per pair of groups; those within a group count twice */
    static BlockModel of(int[] sizes, int[][] neighbors) {
        int within = 0;
        int all = 0;
        for (int group = 0; group < sizes.length; group++) {
            within += neighbors[group][group];
            all += Arrays.stream(neighbors[group]).sum();
        }
        return new BlockModel(sizes, within / 2, all / 2);
    }

    BlockModel afterMove(int from, int to, int moreWithin) {
        int[] moved = sizes.clone();
        moved[from]--;
        moved[to]++;
        return new BlockModel(moved, within + moreWithin, neighbors);
    }

    BlockModel afterExchange(int moreWithin) {
        return new BlockModel(sizes, within + moreWithin, neighbors);
    }

    /** Bits that the division saves beyond its own description; at most 0 for one that says nothing. */
    double bitsSaved() {
        double pairs = pairs();
        double pairsWithin = pairsWithin();
        return bits(neighbors, pairs)
                - bits(within, pairsWithin)
                - bits(neighbors - within, pairs - pairsWithin)
                - division();
    }

    private double pairs() {
        double nodes = Arrays.stream(sizes).sum();
        return nodes * (nodes - 1) / 2;
    }

    private double pairsWithin() {
        double pairs = 0;
        for (int size : sizes) {
            pairs += size * (size - 1) / 2.0;
        }
        return pairs;
    }

    /** Number of divisions to choose from, as a logarithm: those of as many groups, and of one size where these have. */
    private double division() {
        int nodes = Arrays.stream(sizes).sum();
        boolean equal = true;
        double logOfSizes = 0;
        for (int size : sizes) {
            equal &= size == sizes[0];
            logOfSizes += logFactorial(size);
        }
        double ordered = equal ? logFactorial(nodes) - logOfSizes : nodes * log2(sizes.length);
        return ordered - logFactorial(sizes.length);
    }

    private static double bits(double joined, double pairs) {
        double share = pairs == 0 ? 0 : joined / pairs;
        return share <= 0 || share >= 1 ? 0 : -pairs * (share * log2(share) + (1 - share) * log2(1 - share));
    }

    private static double logFactorial(int n) {
        double sum = 0;
        for (int i = 2; i <= n; i++) {
            sum += log2(i);
        }
        return sum;
    }

    private static double log2(double x) {
        return Math.log(x) / Math.log(2);
    }

    /** Says of how many neighbours in a group how likely that is for a member of it. */
    Belonging belonging() {
        double in = clipped(within, pairsWithin());
        double out = clipped(neighbors - within, pairs() - pairsWithin());
        return new Belonging(log2(in / out), log2((1 - in) / (1 - out)));
    }

    /** Bits in favour per neighbour in a group, and per node of it that is none. */
    record Belonging(double perNeighbor, double perOther) {
        double to(int joined, int others) {
            return joined * perNeighbor + (others - joined) * perOther;
        }
    }

    private static double clipped(double joined, double pairs) {
        return Math.clamp(pairs == 0 ? 0 : joined / pairs, RAREST, 1 - RAREST);
    }
}
