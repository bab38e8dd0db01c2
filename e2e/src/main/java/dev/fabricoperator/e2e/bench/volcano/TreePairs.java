/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.volcano;

import dev.fabricoperator.e2e.volcano.TreeFabric;
import java.util.Arrays;
import java.util.List;

/** Cables on the way between two nodes of a tree: 2 below one leaf, 4 in one pod, else 6. */
final class TreePairs {
    private static final int CABLES_OF_A_TIER = 2;
    private static final int FARTHEST = 6;

    private TreePairs() {}

    /** Over all pairs of these nodes. */
    static double mean(TreeFabric tree, List<Integer> nodes) {
        int[] ofLeaf = new int[tree.leaves()];
        int[] ofPod = new int[tree.pods()];
        for (int node : nodes) {
            ofLeaf[tree.leafOf(node)]++;
            ofPod[tree.leafOf(node) / tree.leavesOfAPod()]++;
        }
        return mean(pairs(ofLeaf) + pairs(ofPod), nodes.size());
    }

    /**
     * The least mean of so many of the nodes, exactly. In a pod the largest leaves filled one after the other leave most pairs below
     * one leaf, since every other division is more even; how many nodes each pod gives is tried out.
     */
    static double leastMean(TreeFabric tree, List<Integer> free, int count) {
        long[] most = new long[count + 1];
        Arrays.fill(most, -1);
        most[0] = 0;
        for (int pod = 0; pod < tree.pods(); pod++) {
            long[] ofPod = mostOfPod(tree, free, pod, count);
            long[] next = most.clone();
            for (int before = 0; before <= count; before++) {
                for (int taken = 1; most[before] >= 0 && taken < ofPod.length && before + taken <= count; taken++) {
                    next[before + taken] = Math.max(next[before + taken], most[before] + ofPod[taken]);
                }
            }
            most = next;
        }
        if (most[count] < 0) {
            throw new IllegalArgumentException(free.size() + " nodes for " + count);
        }
        return mean(most[count], count);
    }

    /** Pairs of one leaf and pairs of the pod, by how many of its nodes are taken. */
    private static long[] mostOfPod(TreeFabric tree, List<Integer> free, int pod, int count) {
        int[] ofLeaf = new int[tree.leavesOfAPod()];
        for (int node : free) {
            if (tree.leafOf(node) / tree.leavesOfAPod() == pod) {
                ofLeaf[tree.leafOf(node) % tree.leavesOfAPod()]++;
            }
        }
        Arrays.sort(ofLeaf);
        long[] most = new long[Math.min(count, Arrays.stream(ofLeaf).sum()) + 1];
        for (int taken = 1; taken < most.length; taken++) {
            int left = taken;
            long below = 0;
            for (int leaf = ofLeaf.length - 1; left > 0; leaf--) {
                int here = Math.min(left, ofLeaf[leaf]);
                below += pairs(here);
                left -= here;
            }
            most[taken] = below + pairs(taken);
        }
        return most;
    }

    private static double mean(long nearer, int nodes) {
        return FARTHEST - (double) CABLES_OF_A_TIER * nearer / pairs(nodes);
    }

    private static long pairs(int... counts) {
        return Arrays.stream(counts).mapToLong(n -> (long) n * (n - 1) / 2).sum();
    }
}
