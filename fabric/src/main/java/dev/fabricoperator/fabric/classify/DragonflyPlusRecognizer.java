/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.classify.NoMatch.Reason;
import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Dragonfly+: groups are trees of two levels, leaves and spines, and the spines of different groups are joined directly.
 * Axes are the group and the leaf in it. It is no fat tree, because nothing stands above the spines.
 *
 * @see "Shpiner et al., Dragonfly+: Low Cost Topology for Scaling Datacenters, HiPINEB 2017"
 */
final class DragonflyPlusRecognizer implements Classifier.Recognizer {
    @Override
    public Recognition recognize(Topology topology, EdgeHops hops) {
        int[] devices = new int[hops.size()];
        Arrays.setAll(devices, hops::devices);
        Arrays.sort(devices);
        int typical = devices.length == 0 ? 0 : devices[devices.length / 2];
        NoMatch nearest = new NoMatch(Reason.NO_SPINES);
        for (double few : new double[] {0, typical * Thresholds.SERVICE_DEVICES}) {
            boolean[] leaf = new boolean[topology.switches()];
            for (int edge = 0; edge < hops.size(); edge++) {
                leaf[hops.switchOf(edge)] = hops.devices(edge) > few;
            }
            Recognition found = withLeaves(topology, hops, leaf);
            if (!(found instanceof NoMatch no)) {
                return found;
            }
            nearest = nearest.orNearer(no);
        }
        return nearest;
    }

    private static Recognition withLeaves(Topology topology, EdgeHops hops, boolean[] leaf) {
        int[] levels = BreadthFirst.levels(topology, s -> leaf[s]);
        if (Arrays.stream(levels).noneMatch(level -> level == 2)) {
            return new NoMatch(Reason.NO_SPINES);
        }
        int[] groupOf = groups(topology, levels);
        NoMatch no = against(topology, levels, groupOf);
        if (no != null) {
            return no;
        }
        boolean[] numbered = new boolean[leaf.length];
        for (int s = 0; s < leaf.length; s++) {
            // A leaf whose hosts are off has its spines above it, and nothing below.
            numbered[s] = groupOf[s] >= 0 && levels[s] != 2;
        }
        return GroupedFabric.classify(topology, hops, FabricKind.DragonflyPlus, groupOf, numbered);
    }

    /** What cables between leaves and spines connect, by smallest switch; -1 for what has no spine. */
    private static int[] groups(Topology topology, int[] levels) {
        return BreadthFirst.components(topology, start -> levels[start] == 2, (from, entry) -> {
            int to = levels[topology.neighbor(entry)];
            return to > 0 && (levels[from] == 2 ^ to == 2);
        });
    }

    private static @Nullable NoMatch against(Topology topology, int[] levels, int[] groupOf) {
        int switches = levels.length;
        int[] leaves = new int[switches];
        int[] spines = new int[switches];
        int[] upDown = new int[switches];
        int[] number = new int[switches];
        int groups = 0;
        int allLeaves = 0;
        for (int s = 0; s < switches; s++) {
            allLeaves += levels[s] == 1 ? 1 : 0;
            if (groupOf[s] >= 0) {
                leaves[groupOf[s]] += levels[s] == 2 ? 0 : 1;
                spines[groupOf[s]] += levels[s] == 2 ? 1 : 0;
                number[s] = groupOf[s] == s ? groups++ : 0;
            }
        }
        if (groups < 2) {
            return new NoMatch(Reason.NO_SPINES);
        }
        boolean[][] joined = new boolean[groups][groups];
        for (int s = 0; s < switches; s++) {
            for (int n = topology.firstNeighbor(s); groupOf[s] >= 0 && n < topology.firstNeighbor(s + 1); n++) {
                int neighbor = topology.neighbor(n);
                if (levels[s] == 2 && groupOf[neighbor] == groupOf[s] && levels[neighbor] != 2) {
                    upDown[groupOf[s]]++;
                } else if (levels[s] == 2 && levels[neighbor] == 2 && groupOf[neighbor] != groupOf[s]) {
                    joined[number[groupOf[s]]][number[groupOf[neighbor]]] = true;
                }
            }
        }
        int grouped = 0;
        boolean[] whole = new boolean[groups];
        for (int g = 0; g < switches; g++) {
            if (groupOf[g] == g
                    && leaves[g] > 1
                    && spines[g] > 1
                    && upDown[g] >= Thresholds.FULL_TREE * leaves[g] * spines[g]) {
                grouped += leaves[g];
                whole[number[g]] = true;
            }
        }
        return grouped < Thresholds.LEAVES_IN_GROUPS * allLeaves
                ? new NoMatch(Reason.NOT_GROUPED, grouped, allLeaves)
                : areApart(joined, whole);
    }

    private static @Nullable NoMatch areApart(boolean[][] joined, boolean[] whole) {
        int pairs = 0;
        int direct = 0;
        for (int one = 0; one < whole.length; one++) {
            for (int other = 0; whole[one] && other < one; other++) {
                pairs += whole[other] ? 1 : 0;
                direct += whole[other] && joined[one][other] ? 1 : 0;
            }
        }
        return pairs > 0 && direct >= Thresholds.GROUPS_JOINED * pairs
                ? null
                : new NoMatch(Reason.SPINES_APART, direct, pairs);
    }
}
