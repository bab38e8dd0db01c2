/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the positions of the switches of a grid, one after the other, each from its placed neighbours.
 *
 * <p>Idea: a switch with most neighbours that are pairwise perpendicular is the origin, and these neighbours show the
 * axes. From then on a switch is placed where all of its placed neighbours agree that it must be: in the direction in
 * which a parallel cable runs, or where all other places next to them are taken or lie along an axis to which its cable
 * is perpendicular. Each such step is a conclusion, not a guess, so that missing cables delay a placement and do not
 * falsify it. A cable between two placed switches that are far apart along one axis shows that the axis is a ring.
 *
 * <p>A ring of four is two axes of two switches each here: it has cycles of four, and nothing can tell the difference.
 *
 * <p>Cost: O(n * d * d) steps for n switches with d neighbours.
 */
final class LatticeGrowth {
    private static final int SURE_RING = 2;

    /** Origins from which a lattice is grown until most nodes are placed. */
    private static final int MAX_TRIALS = 6;

    private final Subgraph graph;
    private final ParallelCables cables;
    private final int axes;
    private final int bits;
    private final int[][] at;
    private final boolean[] placed;
    private final int[] ring;
    private final NodeByPosition places;
    /** Direction of each class of ways: axis + 1 upwards, -axis - 1 downwards, 0 while unknown. */
    private final int[] direction;
    /** Per class the axes along which its ways do not run. */
    private final int[] excluded;

    private final int[][] ringVotes;
    private final int[] queue;
    private final boolean[] queued;
    private int head;
    private int waiting;
    private int count;

    private LatticeGrowth(Subgraph graph, ParallelCables cables, int axes) {
        this.graph = graph;
        this.cables = cables;
        this.axes = axes;
        bits = 62 / axes;
        at = new int[graph.size()][];
        placed = new boolean[graph.size()];
        ring = new int[axes];
        places = new NodeByPosition(graph.size());
        direction = new int[cables.classes()];
        excluded = new int[cables.classes()];
        ringVotes = new int[axes][graph.size() + 2];
        queue = new int[graph.size()];
        queued = new boolean[graph.size()];
    }

    /**
     * Positions found.
     *
     * @param at per axis and node; -1 where it is not known
     * @param ring per axis the length of its rings; 0 where rows are chains
     */
    record Positions(int[][] at, int[] ring, int count) {}

    /** {@code null} where no switch has two perpendicular cables. */
    static @Nullable Positions of(Subgraph graph) {
        ParallelCables cables = new ParallelCables(graph);
        List<int[]> frames = LatticeFrames.of(graph, cables);
        LatticeGrowth best = null;
        for (int trial = 0; trial < Math.min(MAX_TRIALS, frames.size()); trial++) {
            int[] frame = frames.get(trial);
            if (frame.length < 2
                    || frame.length > LatticeFrames.MAX_AXES
                    || best != null && best.count > Thresholds.PLACED_WELL * graph.size()) {
                break;
            }
            LatticeGrowth growth = new LatticeGrowth(graph, cables, frame.length);
            growth.grow(frame);
            best = best == null || growth.count > best.count ? growth : best;
        }
        return best == null ? null : best.positions();
    }

    private void grow(int[] frame) {
        int origin = graph.neighbor(cables.reverse(frame[0]));
        place(origin, new int[axes]);
        for (int axis = 0; axis < axes; axis++) {
            int[] position = new int[axes];
            position[axis] = 1;
            place(graph.neighbor(frame[axis]), position);
        }
        boolean going = true;
        while (going) {
            while (waiting > 0) {
                int node = queue[head];
                head = (head + 1) % queue.length;
                waiting--;
                queued[node] = false;
                tryToPlace(node, true);
            }
            going = bendWhatOneCableShows() || placeBetweenFronts();
        }
    }

    /** Where two fronts meet around a ring, their votes differ: any of them is right, modulo the ring. */
    private boolean placeBetweenFronts() {
        for (int node = 0; node < graph.size(); node++) {
            if (!placed[node] && tryToPlace(node, false)) {
                return true;
            }
        }
        return false;
    }

    private boolean bendWhatOneCableShows() {
        for (int axis = 0; axis < axes; axis++) {
            for (int length = 3; ring[axis] == 0 && length < ringVotes[axis].length; length++) {
                if (ringVotes[axis][length] > 0 && ringVotes[axis][length] >= Thresholds.RINGS_SEEN * count / length) {
                    bend(axis, length);
                    return true;
                }
            }
        }
        return false;
    }

    private boolean tryToPlace(int node, boolean together) {
        if (placed[node]) {
            return false;
        }
        int degree = graph.degree(node);
        long[] candidates = new long[degree * 2 * axes];
        int[] votes = new int[candidates.length];
        int filled = 0;
        int supports = 0;
        long single = -1;
        for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1); e++) {
            int near = graph.neighbor(e);
            if (!placed[near]) {
                continue;
            }
            supports++;
            int cls = cables.classOf(cables.reverse(e));
            int free = 0;
            long last = -1;
            for (int d = 0; d < 2 * axes; d++) {
                int axis = d >> 1;
                int step = (d & 1) == 0 ? 1 : -1;
                if (!mayRun(cls, axis, step)) {
                    continue;
                }
                long key = key(at[near], axis, step);
                if (places.get(key) < 0) {
                    int i = 0;
                    while (i < filled && candidates[i] != key) {
                        i++;
                    }
                    candidates[i] = key;
                    votes[i]++;
                    filled = Math.max(filled, i + 1);
                    free++;
                    last = key;
                }
            }
            single = free == 1 && single < 0 ? last : single;
        }
        int best = -1;
        boolean unique = false;
        for (int i = 0; i < filled; i++) {
            if (best < 0 || votes[i] > votes[best]) {
                best = i;
                unique = true;
            } else {
                unique &= votes[i] < votes[best];
            }
        }
        if (unique && (votes[best] > 1 || supports == 1)) {
            place(node, positionOf(candidates[best]));
            return true;
        }
        if (!together && single >= 0) {
            place(node, positionOf(single));
            return true;
        }
        return false;
    }

    private boolean mayRun(int cls, int axis, int step) {
        return direction[cls] == 0 ? (excluded[cls] >> axis & 1) == 0 : direction[cls] == step * (axis + 1);
    }

    private void place(int node, int[] position) {
        at[node] = position;
        placed[node] = true;
        count++;
        places.put(key(position, 0, 0), node);
        for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1); e++) {
            int near = graph.neighbor(e);
            if (placed[near]) {
                learn(e, node, near);
                enqueueNeighbors(near);
            } else {
                enqueue(near);
            }
        }
        for (int d = 0; d < 2 * axes; d++) {
            int near = places.get(key(position, d >> 1, (d & 1) == 0 ? 1 : -1));
            if (near >= 0 && !graph.joined(node, near)) {
                enqueueNeighbors(near);
            }
        }
    }

    /** What a cable between two placed nodes tells: the direction of its class, or the length of a ring. */
    private void learn(int way, int node, int near) {
        int along = -1;
        for (int axis = 0; axis < axes; axis++) {
            if (at[node][axis] != at[near][axis]) {
                if (along >= 0) {
                    return;
                }
                along = axis;
            }
        }
        if (along < 0) {
            return;
        }
        int step = at[near][along] - at[node][along];
        if (ring[along] > 0 && Math.abs(step) == ring[along] - 1) {
            step = -Integer.signum(step);
        }
        if (Math.abs(step) == 1) {
            direct(cables.classOf(way), step * (along + 1));
        } else if (ring[along] == 0
                && Math.abs(step) < graph.size()
                && ++ringVotes[along][Math.abs(step) + 1] == SURE_RING) {
            bend(along, Math.abs(step) + 1);
        }
    }

    private void direct(int cls, int towards) {
        if (direction[cls] != 0) {
            return;
        }
        direction[cls] = towards;
        direction[cables.opposite(cls)] = -towards;
        int axis = Math.abs(towards) - 1;
        for (int way : cables.members(cls)) {
            enqueue(graph.neighbor(way));
            enqueue(graph.neighbor(cables.reverse(way)));
        }
        for (int other : cables.perpendicular(cls)) {
            if ((excluded[other] >> axis & 1) == 0) {
                excluded[other] |= 1 << axis;
                if (direction[other] == 0) {
                    for (int way : cables.members(other)) {
                        enqueue(graph.neighbor(way));
                    }
                }
            }
        }
    }

    private void enqueueNeighbors(int node) {
        for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1); e++) {
            enqueue(graph.neighbor(e));
        }
    }

    private void enqueue(int node) {
        if (!placed[node] && !queued[node]) {
            queued[node] = true;
            queue[(head + waiting++) % queue.length] = node;
        }
    }

    /** An axis turned out to be a ring: positions along it count modulo its length from now on. */
    private void bend(int axis, int length) {
        ring[axis] = length;
        places.clear();
        for (int node = 0; node < placed.length; node++) {
            if (placed[node]) {
                at[node][axis] = Math.floorMod(at[node][axis], length);
                long key = key(at[node], 0, 0);
                if (places.get(key) < 0) {
                    places.put(key, node);
                } else {
                    placed[node] = false;
                    count--;
                }
            }
        }
        for (int node = 0; node < placed.length; node++) {
            enqueue(node);
        }
    }

    /** A number for the position {@code step} away along an axis. */
    private long key(int[] position, int axis, int step) {
        long key = 0;
        for (int a = 0; a < axes; a++) {
            int value = position[a] + (a == axis ? step : 0);
            if (ring[a] > 0) {
                value = value < 0 ? value + ring[a] : value >= ring[a] ? value - ring[a] : value;
            }
            key = key << bits | value + (1L << bits - 1) & (1L << bits) - 1;
        }
        return key;
    }

    private int[] positionOf(long key) {
        int[] position = new int[axes];
        long rest = key;
        for (int a = axes - 1; a >= 0; a--) {
            position[a] = (int) ((rest & (1L << bits) - 1) - (1L << bits - 1));
            rest >>>= bits;
        }
        return position;
    }

    private Positions positions() {
        int[][] perAxis = new int[axes][graph.size()];
        for (int axis = 0; axis < axes; axis++) {
            Arrays.fill(perAxis[axis], -1);
            int lowest = Integer.MAX_VALUE;
            for (int node = 0; node < placed.length; node++) {
                lowest = placed[node] ? Math.min(lowest, at[node][axis]) : lowest;
            }
            for (int node = 0; node < placed.length; node++) {
                if (placed[node]) {
                    perAxis[axis][node] = at[node][axis] - (ring[axis] > 0 ? 0 : lowest);
                }
            }
        }
        return new Positions(perAxis, ring, count);
    }
}
