/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.graph.LowPoints;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * What is joined to most of a fabric through one switch with devices alone, by however many others.
 *
 * <p>Cost: O(switches + neighbours), once more for each switch that something is behind.
 */
final class BehindLeaves {
    private final LowPoints points;
    private final boolean[] holdsDevices;
    /** By switch, itself and what is below it in the tree of the search: switches, and those with devices. */
    private final int[] size;

    private final int[] edges;
    private final int[] holder;

    private BehindLeaves(Topology topology, boolean[] holdsDevices) {
        points = LowPoints.of(topology);
        this.holdsDevices = holdsDevices;
        size = new int[holdsDevices.length];
        edges = new int[holdsDevices.length];
        holder = new int[holdsDevices.length];
        Arrays.fill(holder, -1);
        for (int i = size.length - 1; i >= 0; i--) {
            int at = points.order()[i];
            size[at]++;
            edges[at] += holdsDevices[at] ? 1 : 0;
            int up = points.parent()[at];
            if (up >= 0) {
                size[up] += size[at];
                edges[up] += edges[at];
            }
        }
    }

    /** By switch, the one with devices that it is behind, the outermost of several; -1 for one that is behind none. */
    static int[] holders(Topology topology, boolean[] holdsDevices) {
        BehindLeaves behind = new BehindLeaves(topology, holdsDevices);
        behind.find();
        return behind.holder;
    }

    /**
     * What one switch parts from most of the fabric.
     *
     * @param edges switches with devices
     */
    private record Candidate(int leaf, int root, int edges) {}

    private void find() {
        List<Candidate> candidates = new ArrayList<>();
        int root = -1;
        int[] rootOf = new int[size.length];
        int[] most = new int[size.length];
        int[] parted = new int[size.length];
        for (int at : points.order()) {
            int up = points.parent()[at];
            root = up < 0 ? at : root;
            rootOf[at] = root;
            if (up >= 0 && isParted(up, at)) {
                most[up] = Math.max(most[up], edges[at]);
                parted[up] += edges[at];
            }
        }
        for (int leaf = 0; leaf < size.length; leaf++) {
            int all = edges[rootOf[leaf]];
            int main = Math.max(most[leaf], all - 1 - parted[leaf]);
            if (holdsDevices[leaf] && 2 * main > all && main < all - 1) {
                candidates.add(new Candidate(leaf, rootOf[leaf], all - 1 - main));
            }
        }
        candidates.sort(Comparator.comparingInt(candidate -> -candidate.edges()));
        for (Candidate candidate : candidates) {
            if (holder[candidate.leaf()] < 0) {
                take(candidate);
            }
        }
    }

    /** Whether a switch is the only way from what is below one of its children to the rest. */
    private boolean isParted(int at, int child) {
        return points.parent()[at] < 0 || points.low()[child] >= points.number()[at];
    }

    /** All parts that the switch joins but the largest. */
    private void take(Candidate candidate) {
        int leaf = candidate.leaf();
        int root = candidate.root();
        int main = edges[root] - 1 - candidate.edges();
        int first = points.number()[root];
        boolean[] isOutside = new boolean[size[root]];
        Arrays.fill(isOutside, true);
        int parted = 0;
        for (int i = points.number()[leaf] + 1; i < points.number()[leaf] + size[leaf]; i++) {
            int at = points.order()[i];
            if (points.parent()[at] == leaf && isParted(leaf, at)) {
                parted += edges[at];
                Arrays.fill(isOutside, i - first, i - first + size[at], false);
                for (int j = i; edges[at] != main && j < i + size[at]; j++) {
                    holder[points.order()[j]] = leaf;
                }
            }
        }
        for (int i = 0; edges[root] - 1 - parted != main && i < isOutside.length; i++) {
            int at = points.order()[first + i];
            if (isOutside[i] && at != leaf) {
                holder[at] = leaf;
            }
        }
    }
}
