/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.tier;

import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.graph.TwoCore;
import dev.fabricoperator.fabric.topology.Topology;

/**
 * Into which parts each tier divides a fabric, below the one that is all of it. Tier 1 is the finest: one switch, or one
 * scalable unit of rails. What a part is called does not depend on which hosts there are.
 */
final class Tiers {
    private static final int NAMED_IN_A_TREE = 2;
    private static final int NAMED_IN_A_LATTICE = 3;

    private final Classification classification;
    private final int[][] axes;
    private final int below;
    /** In a grid, by switch, the one whose blocks it is in. */
    private final int[] holder;

    private Tiers(Classification classification, Topology topology) {
        this.classification = classification;
        axes = classification.axes();
        holder = TwoCore.holders(topology);
        below = switch (classification.kind()) {
            case FatTree, HyperX, Dragonfly, DragonflyPlus, Irregular -> axes.length;
            case RailOptimized -> 1;
            case Torus, Mesh -> 1 + halvings();
            case Flat -> 0;
        };
    }

    /** Whether some fabric has a tier of this name; see {@link #name}. */
    static boolean isTierName(String name) {
        return name.matches("leaf|pod|unit|router|group|switch|row|plane|(level|block)-[0-9]+");
    }

    static Tiers of(Classification classification, Topology topology) {
        return new Tiers(classification, topology);
    }

    /** Tiers are 1 to this; the whole is the next one. 0 where nobody knows how hosts are joined. */
    int below() {
        return below;
    }

    /** Blocks of twice the length each until one holds everything, which is no tier of its own. */
    private int halvings() {
        int longest = 0;
        for (int[] axis : axes) {
            for (int at = 0; at < axis.length; at++) {
                longest = Math.max(longest, holder[at] == at ? axis[at] : 0);
            }
        }
        return Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros(longest) - 1);
    }

    String name(int tier) {
        return switch (classification.kind()) {
            case FatTree -> tier == 1 ? "leaf" : tier == NAMED_IN_A_TREE ? "pod" : "level-" + tier;
            case RailOptimized -> "unit";
            case Dragonfly -> tier == 1 ? "router" : "group";
            case DragonflyPlus -> tier == 1 ? "leaf" : "group";
            case Irregular -> "leaf";
            case Torus, Mesh -> tier == 1 ? "switch" : "block-" + (1 << (tier - 1));
            case HyperX ->
                tier == 1 ? "switch" : tier == 2 ? "row" : tier == NAMED_IN_A_LATTICE ? "plane" : "level-" + tier;
            case Flat -> throw new IllegalStateException("a flat fabric has no tiers");
        };
    }

    /** The part of a tier in which a switch that holds devices is: equal arrays for switches of one part. */
    int[] part(int tier, int at) {
        return switch (classification.kind()) {
            // Coarse to fine, so that what is left out are the last ones.
            case FatTree, Dragonfly, DragonflyPlus, Irregular, RailOptimized -> numbers(at, 0, below - tier + 1);
            case Torus, Mesh -> block(at, tier - 1);
            // The longest axis comes first, and is the row that most switches are fully connected in.
            case HyperX -> numbers(at, tier - 1, axes.length);
            case Flat -> new int[0];
        };
    }

    private int[] numbers(int at, int from, int to) {
        int[] numbers = new int[to - from];
        for (int axis = from; axis < to; axis++) {
            numbers[axis - from] = axes[axis][at];
        }
        return numbers;
    }

    /** What hangs off a grid is in the blocks of the switch that it hangs off, and not beside whatever has the next number. */
    private int[] block(int at, int halvings) {
        int[] block = new int[axes.length];
        int in = halvings > 0 && axes[0][holder[at]] >= 0 ? holder[at] : at;
        for (int axis = 0; axis < block.length; axis++) {
            block[axis] = axes[axis][in] >> halvings;
        }
        return block;
    }
}
