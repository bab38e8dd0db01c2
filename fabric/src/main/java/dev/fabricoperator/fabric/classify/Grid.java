/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.classify.NoMatch.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of a graph at the positions of a grid, at most one at each.
 *
 * @param rows per axis how the places of a row are joined
 * @param sides per axis the number of places
 * @param at per axis and node the place; -1 for a node that is not in the grid
 */
record Grid(Subgraph graph, Row[] rows, int[] sides, int[][] at, int[] nodeAt) implements Recognition {
    private static final int MAX_PLACES_PER_NODE = 8;

    /** How the places of a row are joined. */
    enum Row {
        /** Two places. */
        PAIR,
        CHAIN,
        RING,
        /** Each with each. */
        FULL
    }

    /**
     * {@code null} where there are far more places than nodes. The second of two nodes in one place has none.
     *
     * @param at is changed: nodes without a place have -1 on all axes
     */
    static @Nullable Grid of(Subgraph graph, Row[] rows, int[] sides, int[][] at) {
        long places = 1;
        for (int side : sides) {
            places *= side;
            if (places > (long) MAX_PLACES_PER_NODE * graph.size()) {
                return null;
            }
        }
        int[] nodeAt = new int[(int) places];
        Arrays.fill(nodeAt, -1);
        Grid grid = new Grid(graph, rows, sides, at, nodeAt);
        for (int node = 0; node < graph.size(); node++) {
            int place = grid.placeOf(node);
            if (place < 0 || nodeAt[place] >= 0) {
                for (int[] axis : at) {
                    axis[node] = -1;
                }
            } else {
                nodeAt[place] = node;
            }
        }
        return grid;
    }

    /** One row of all nodes. */
    static Grid oneRow(Subgraph graph, Row row, int[] at) {
        Grid grid = of(graph, new Row[] {row}, new int[] {graph.size()}, new int[][] {at});
        return Objects.requireNonNull(grid, "a place for each node");
    }

    static NoMatch tooSparse(Subgraph graph, int[] sides) {
        return new NoMatch(
                Reason.EMPTY_PLACES,
                graph.size(),
                Arrays.stream(sides).asLongStream().reduce(1, (one, other) -> one * other));
    }

    /** Positions are numbered in row-major order; -1 for a node that is not in the grid. */
    int placeOf(int node) {
        int place = 0;
        for (int axis = 0; axis < sides.length; axis++) {
            int value = at[axis][node];
            if (value < 0 || value >= sides[axis]) {
                return -1;
            }
            place = place * sides[axis] + value;
        }
        return place;
    }

    /** Whether the pattern joins two places. */
    boolean joins(int place, int other) {
        int rest = place;
        int otherRest = other;
        boolean joined = false;
        for (int axis = sides.length - 1; axis >= 0; axis--) {
            int one = rest % sides[axis];
            int two = otherRest % sides[axis];
            rest /= sides[axis];
            otherRest /= sides[axis];
            if (one != two) {
                if (joined || !areNext(axis, one, two)) {
                    return false;
                }
                joined = true;
            }
        }
        return joined;
    }

    private boolean areNext(int axis, int one, int two) {
        int difference = Math.abs(one - two);
        return rows[axis] == Row.FULL || difference == 1 || rows[axis] == Row.RING && difference == sides[axis] - 1;
    }

    /** Hops between two places of the whole pattern. */
    int steps(int place, int other) {
        int rest = place;
        int otherRest = other;
        int steps = 0;
        for (int axis = sides.length - 1; axis >= 0; axis--) {
            int difference = Math.abs(rest % sides[axis] - otherRest % sides[axis]);
            steps += switch (rows[axis]) {
                case FULL -> Math.min(difference, 1);
                case RING -> Math.min(difference, sides[axis] - difference);
                case PAIR, CHAIN -> difference;
            };
            rest /= sides[axis];
            otherRest /= sides[axis];
        }
        return steps;
    }

    /** The place of the same row at another number of an axis; -1 for no place. */
    int neighborPlace(int axis, int place, int number) {
        if (place < 0) {
            return -1;
        }
        int stride = 1;
        for (int behind = axis + 1; behind < sides.length; behind++) {
            stride *= sides[behind];
        }
        return place + (number - place / stride % sides[axis]) * stride;
    }

    /** The places that the pattern joins with one along an axis. */
    int[] joinedAlong(int axis, int place) {
        int[] joined = new int[sides[axis]];
        int filled = 0;
        int here = neighborPlace(axis, place, 0);
        for (int there = 0; there < sides[axis]; there++) {
            int other = neighborPlace(axis, here, there);
            if (other != place && joins(place, other)) {
                joined[filled++] = other;
            }
        }
        return Arrays.copyOf(joined, filled);
    }

    /** Whether no place before this one looks like it: rings look alike everywhere, chains from both ends. */
    boolean isFirstOfAlike(int place) {
        for (int axis = 0; axis < sides.length; axis++) {
            int number = place / neighborPlace(axis, 0, 1) % sides[axis];
            if (rows[axis] == Row.CHAIN ? 2 * number > sides[axis] - 1 : number > 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether so many places are empty that another grid is likely. */
    boolean isEmptyElsewhere() {
        return Arrays.stream(nodeAt).filter(node -> node >= 0).count() < Thresholds.TAKEN * nodeAt.length;
    }

    /** The places that the pattern joins with one. */
    int[] joinedWith(int place) {
        int[] joined = new int[Arrays.stream(sides).sum()];
        int filled = 0;
        int stride = 1;
        for (int axis = sides.length - 1; axis >= 0; axis--) {
            int here = place / stride % sides[axis];
            for (int there = 0; there < sides[axis]; there++) {
                boolean near = rows[axis] == Row.FULL
                        || Math.abs(there - here) == 1
                        || Math.abs(there - here) == sides[axis] - 1;
                if (there != here && near && areNext(axis, here, there)) {
                    joined[filled++] = place + (there - here) * stride;
                }
            }
            stride *= sides[axis];
        }
        return Arrays.copyOf(joined, filled);
    }

    /** Whether each place has a node, each node a place, and neighbours are exactly those of the pattern. */
    boolean isWhole() {
        if (graph.size() != nodeAt.length) {
            return false;
        }
        for (int place = 0; place < nodeAt.length; place++) {
            int[] near = joinedWith(place);
            boolean whole = nodeAt[place] >= 0 && graph.degree(nodeAt[place]) == near.length;
            for (int i = 0; whole && i < near.length; i++) {
                whole = nodeAt[near[i]] >= 0 && graph.joined(nodeAt[place], nodeAt[near[i]]);
            }
            if (!whole) {
                return false;
            }
        }
        return true;
    }

    /** This with its holes filled, if the wiring is this pattern, but for what may be missing of it; else what speaks against it. */
    Recognition filledIfItFits() {
        fillHoles();
        int placed = 0;
        long neighbors = 0;
        long[] explained = new long[sides.length];
        long[] expected = new long[sides.length];
        for (int place = 0; place < nodeAt.length; place++) {
            int node = nodeAt[place];
            if (node < 0) {
                continue;
            }
            placed++;
            neighbors += graph.degree(node);
            for (int other : joinedWith(place)) {
                if (nodeAt[other] >= 0) {
                    int axis = axisBetween(node, nodeAt[other]);
                    expected[axis]++;
                    explained[axis] += graph.joined(node, nodeAt[other]) ? 1 : 0;
                }
            }
        }
        for (int axis = 0; axis < sides.length; axis++) {
            if (explained[axis] < Thresholds.PRESENT_ALONG_AXIS * expected[axis]) {
                return new NoMatch(Reason.MISSING, explained[axis] / 2, expected[axis] / 2);
            }
        }
        if (placed < Thresholds.TAKEN * graph.size()) {
            return new NoMatch(Reason.WITHOUT_PLACE, placed, graph.size());
        }
        if (placed < Thresholds.TAKEN * nodeAt.length) {
            return new NoMatch(Reason.EMPTY_PLACES, placed, nodeAt.length);
        }
        long fitting = Arrays.stream(explained).sum();
        if (fitting < Thresholds.EXPLAINED * neighbors) {
            return new NoMatch(Reason.STRAY, fitting / 2, neighbors / 2);
        }
        long all = Arrays.stream(expected).sum();
        return fitting < Thresholds.PRESENT * all ? new NoMatch(Reason.MISSING, fitting / 2, all / 2) : this;
    }

    /** The first axis along which two nodes have different places. */
    private int axisBetween(int node, int other) {
        int axis = 0;
        while (at[axis][node] == at[axis][other]) {
            axis++;
        }
        return axis;
    }

    /**
     * Puts nodes without a place into free places next to their neighbours, those first of which most neighbours say
     * so. Does nothing where too few have a place for that to be worth the time.
     */
    void fillHoles() {
        int placed = (int) Arrays.stream(at[0]).filter(value -> value >= 0).count();
        boolean going = placed >= Thresholds.TAKEN * graph.size();
        while (going) {
            int bestNode = -1;
            int bestPlace = -1;
            int most = 0;
            for (int node = 0; node < graph.size(); node++) {
                if (at[0][node] >= 0) {
                    continue;
                }
                for (int place : freePlacesNear(node)) {
                    int score = neighborsNextTo(node, place);
                    if (score > most) {
                        most = score;
                        bestNode = node;
                        bestPlace = place;
                    }
                }
            }
            going = bestNode >= 0;
            if (going) {
                put(bestNode, bestPlace);
            }
        }
    }

    private List<Integer> freePlacesNear(int node) {
        List<Integer> free = new ArrayList<>();
        for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1); e++) {
            int place = placeOf(graph.neighbor(e));
            if (place >= 0) {
                for (int near : joinedWith(place)) {
                    if (nodeAt[near] < 0) {
                        free.add(near);
                    }
                }
            }
        }
        return free;
    }

    private int neighborsNextTo(int node, int place) {
        int count = 0;
        for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1); e++) {
            int other = placeOf(graph.neighbor(e));
            count += other >= 0 && joins(place, other) ? 1 : 0;
        }
        return count;
    }

    /** A node that has a place has none afterwards. */
    void takeOut(int node) {
        nodeAt[placeOf(node)] = -1;
        for (int[] axis : at) {
            axis[node] = -1;
        }
    }

    private void put(int node, int place) {
        nodeAt[place] = node;
        int rest = place;
        for (int axis = sides.length - 1; axis >= 0; axis--) {
            at[axis][node] = rest % sides[axis];
            rest /= sides[axis];
        }
    }

    /** Mean number of parallel cables between neighbours along each axis; 0 without any. */
    double[] cablesAlong() {
        double[] cables = new double[sides.length];
        int[] bundles = new int[sides.length];
        for (int node = 0; node < graph.size(); node++) {
            int place = placeOf(node);
            for (int e = graph.firstNeighbor(node); place >= 0 && e < graph.firstNeighbor(node + 1); e++) {
                int other = placeOf(graph.neighbor(e));
                if (other >= 0 && joins(place, other)) {
                    for (int axis = 0; axis < sides.length; axis++) {
                        if (at[axis][node] != at[axis][graph.neighbor(e)]) {
                            cables[axis] += graph.cables(e);
                            bundles[axis]++;
                        }
                    }
                }
            }
        }
        for (int axis = 0; axis < sides.length; axis++) {
            cables[axis] = bundles[axis] == 0 ? 0 : cables[axis] / bundles[axis];
        }
        return cables;
    }
}
