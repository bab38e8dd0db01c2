/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.classify.NoMatch.Reason;
import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A wiring seen as a folded Clos network: leaves at level 1, and switches above them that only join what is below.
 *
 * <p>Idea: level 1 are the switches that hold devices, the others follow breadth first. It is a tree if cables run
 * between neighbouring levels, and if most leaves reach each other by going up and down again on a shortest way. The
 * subtrees of level l are what stays connected when everything above l is taken away; a level counts as an axis if its
 * subtrees are real ones, that is if there are more of them than on the level above, fewer than leaves, and most leaves
 * of one subtree reach each other within it. Most, not all: cables are missing in every real fabric.
 *
 * <p>Switches that hold few devices may be no leaves but spines with a service host. They are tried as such, fewest
 * devices first; what shows most axes wins. Leaves that hang on the highest switches, past a level that all others have,
 * are leaves all the same ({@link TopLeaves}). Where nothing does, those that most others hang on are tried as spines with
 * hosts ({@link InnerSwitches}), and then the same without what only hangs off the fabric ({@link HangingParts}).
 *
 * @param levels level of each switch above the leaves; -1 out of reach
 * @param top the level that joins everything that is joined
 * @param subtrees per axis, coarse to fine, the subtree of each switch; -1 for one above it
 * @param subtreeLevels the level of each axis
 */
record TreeShape(int[] levels, int top, List<int[]> subtrees, int[] subtreeLevels, boolean[] leafOfEdge)
        implements Recognition {
    private static final int MAX_TRIALS = 8;

    /** A tree, or why the wiring is none. */
    static Recognition of(Topology topology, EdgeHops hops) {
        if (hops.size() == 0) {
            return new NoMatch(Reason.NO_LEAVES);
        }
        boolean[] all = new boolean[hops.size()];
        Arrays.fill(all, true);
        Recognition found = ofLeavesAmong(topology, hops, all);
        if (found instanceof TreeShape) {
            return found;
        }
        TreeShape acyclic = AcyclicShape.of(topology, hops);
        if (acyclic != null) {
            return acyclic;
        }
        TreeShape beside = without(HangingParts.of(topology, hops), topology, hops);
        beside = beside == null ? without(HangingParts.behindLeaves(topology, hops), topology, hops) : beside;
        return beside == null ? found : beside;
    }

    private static @Nullable TreeShape without(@Nullable HangingParts hanging, Topology topology, EdgeHops hops) {
        return hanging != null && ofLeavesAmong(topology, hops, hanging.others()) instanceof TreeShape rest
                ? rest.with(hanging)
                : null;
    }

    private static Recognition ofLeavesAmong(Topology topology, EdgeHops hops, boolean[] among) {
        Recognition best = new NoMatch(Reason.NO_LEAVES);
        List<Integer> service = serviceCounts(hops, among, 0, Thresholds.SERVICE_DEVICES);
        for (int few : service) {
            boolean[] leaf = new boolean[among.length];
            for (int edge = 0; edge < leaf.length; edge++) {
                leaf[edge] = among[edge] && hops.devices(edge) > few;
            }
            best = moreAxes(best, withLeaves(topology, hops, leaf, leaf, among));
            boolean[] low = TopLeaves.without(topology, hops, leaf);
            if (low != null) {
                best = moreAxes(best, withLeaves(topology, hops, leaf, low, among));
            }
        }
        // As many service hosts as a small leaf has: where levels come to light only without them.
        for (int few : serviceCounts(hops, among, service.getLast(), Thresholds.MANY_SERVICE_DEVICES)) {
            boolean[] leaf = new boolean[among.length];
            for (int edge = 0; edge < leaf.length; edge++) {
                leaf[edge] = among[edge] && hops.devices(edge) > few;
            }
            best = moreAxes(best, withLeaves(topology, hops, leaf, leaf, among));
        }
        if (best instanceof TreeShape) {
            // Of gateways there may be more on one core switch than a leaf has hosts.
            boolean[] outer = outermost(hops, among);
            return outer == null ? best : moreAxes(best, withLeaves(topology, hops, outer, outer, among));
        }
        boolean[] leaf = InnerSwitches.leaves(topology, hops, among);
        return moreAxes(best, withLeaves(topology, hops, leaf, leaf, among));
    }

    /** The switches that are as far from others as most are; {@code null} where these are all, or others are not few. */
    private static boolean @Nullable [] outermost(EdgeHops hops, boolean[] among) {
        int[] reach = new int[among.length];
        int[] sorted = new int[among.length];
        int count = 0;
        for (int edge = 0; edge < among.length; edge++) {
            for (int other = 0; among[edge] && other < among.length; other++) {
                int far = among[other] ? hops.hops(edge, other) : 0;
                reach[edge] = far == EdgeHops.UNREACHABLE ? reach[edge] : Math.max(reach[edge], far);
            }
            if (among[edge]) {
                sorted[count++] = reach[edge];
            }
        }
        Arrays.sort(sorted, 0, count);
        int typical = count == 0 ? 0 : sorted[count / 2];
        boolean[] outer = new boolean[among.length];
        int left = 0;
        for (int edge = 0; edge < among.length; edge++) {
            outer[edge] = among[edge] && reach[edge] >= typical;
            left += outer[edge] ? 1 : 0;
        }
        return left == count || count - left > Thresholds.FEW_ELSEWHERE * count ? null : outer;
    }

    /** The tree with more axes; of two that are none, what came nearer to one. */
    private static Recognition moreAxes(Recognition one, Recognition other) {
        if (one instanceof NoMatch no) {
            return other instanceof NoMatch more ? no.orNearer(more) : other;
        }
        return one instanceof TreeShape first
                        && other instanceof TreeShape second
                        && second.subtrees.size() > first.subtrees.size()
                ? second
                : one;
    }

    /** What hangs off a switch is where that switch is. */
    private TreeShape with(HangingParts hanging) {
        List<int[]> whole = new ArrayList<>();
        for (int[] axis : subtrees) {
            int[] extended = axis.clone();
            for (int s = 0; s < extended.length; s++) {
                int holder = hanging.holderOfSwitch()[s];
                if (holder >= 0) {
                    extended[s] = axis[holder];
                }
            }
            whole.add(extended);
        }
        return new TreeShape(levels, top, List.copyOf(whole), subtreeLevels, leafOfEdge);
    }

    /**
     * Numbers of devices, ascending; the lowest is {@code from}.
     *
     * @param share of the typical number up to which they go
     */
    private static List<Integer> serviceCounts(EdgeHops hops, boolean[] among, int from, double share) {
        int[] devices = new int[hops.size()];
        int count = 0;
        for (int edge = 0; edge < devices.length; edge++) {
            if (among[edge]) {
                devices[count++] = hops.devices(edge);
            }
        }
        devices = Arrays.copyOf(devices, count);
        Arrays.sort(devices);
        int typical = count == 0 ? 0 : devices[(count - 1) / 2];
        TreeSet<Integer> few = new TreeSet<>();
        few.add(from);
        for (int number : devices) {
            if (number > from && number <= typical * share && few.size() < MAX_TRIALS) {
                few.add(number);
            }
        }
        return List.copyOf(few);
    }

    /** @param low the leaves above which levels are counted: all, or all but {@link TopLeaves} */
    private static Recognition withLeaves(
            Topology topology, EdgeHops hops, boolean[] leaf, boolean[] low, boolean[] among) {
        if (leafCount(leaf) == 0) {
            return new NoMatch(Reason.NO_LEAVES);
        }
        // Told before hops are searched for.
        int between = betweenLeaves(topology, hops, leaf);
        int all = topology.firstNeighbor(topology.switches());
        if (between > Thresholds.PEER_LINKS * all) {
            return new NoMatch(Reason.LEAVES_JOINED, between / 2, all / 2);
        }
        int[] levels = BreadthFirst.levels(topology, s -> hops.edgeOf(s) >= 0 && low[hops.edgeOf(s)]);
        for (int edge = 0; edge < leaf.length; edge++) {
            if (!among[edge]) {
                levels[hops.switchOf(edge)] = -1;
            } else if (leaf[edge]) {
                levels[hops.switchOf(edge)] = 1;
            }
        }
        int beside = spinesBeside(topology, hops, leaf, among, levels);
        if (beside > 0) {
            return new NoMatch(Reason.SPINE_BESIDE, beside, leafCount(among) - leafCount(leaf));
        }
        int highest = Arrays.stream(levels).max().orElse(1);
        long[] near = pairsUpTo(hops, leaf, highest);
        int reach = 1;
        while (reach < highest && near[reach] < Thresholds.ENOUGH_PAIRS * near[0]) {
            reach++;
        }
        if (near[reach] < Thresholds.ENOUGH_PAIRS * near[0]) {
            return new NoMatch(Reason.FAR_APART, near[reach], near[0]);
        }
        List<int[]> axes = new ArrayList<>();
        int[] axisLevels = new int[highest + 1];
        int top = reach;
        int[] above = Subtrees.upTo(topology, levels, highest);
        int countAbove = Subtrees.count(above, hops, leaf);
        for (int level = highest - 1; level >= 2; level--) {
            int[] subtrees = Subtrees.upTo(topology, levels, level);
            int count = Subtrees.count(subtrees, hops, leaf);
            boolean divides = count > countAbove && count < leafCount(leaf);
            if (divides && nearEnough(hops, leaf, subtrees, level)) {
                axisLevels[axes.size()] = level;
                axes.add(subtrees);
                top = Math.max(top, level + 1);
            }
            countAbove = count;
        }
        NoMatch across = across(topology, hops, leaf, levels, top);
        if (across != null) {
            return across;
        }
        return new TreeShape(levels, top, List.copyOf(axes), Arrays.copyOf(axisLevels, axes.size()), leaf);
    }

    /** How many switches that hold devices and are taken for no leaf join fewer than two switches below them. */
    private static int spinesBeside(Topology topology, EdgeHops hops, boolean[] leaf, boolean[] among, int[] levels) {
        int beside = 0;
        for (int edge = 0; edge < leaf.length; edge++) {
            int s = hops.switchOf(edge);
            boolean inner = among[edge] && !leaf[edge];
            int below = 0;
            for (int n = topology.firstNeighbor(s); inner && n < topology.firstNeighbor(s + 1); n++) {
                int level = levels[topology.neighbor(n)];
                below += level > 0 && level < levels[s] ? 1 : 0;
            }
            beside += inner && below < 2 ? 1 : 0;
        }
        return beside;
    }

    /** Entries of neighbours that join leaves directly. */
    private static int betweenLeaves(Topology topology, EdgeHops hops, boolean[] leaf) {
        int between = 0;
        for (int edge = 0; edge < leaf.length; edge++) {
            int s = hops.switchOf(edge);
            for (int n = topology.firstNeighbor(s); leaf[edge] && n < topology.firstNeighbor(s + 1); n++) {
                int other = hops.edgeOf(topology.neighbor(n));
                between += other >= 0 && leaf[other] ? 1 : 0;
            }
        }
        return between;
    }

    private static int leafCount(boolean[] leaf) {
        int count = 0;
        for (boolean is : leaf) {
            count += is ? 1 : 0;
        }
        return count;
    }

    /** By level, how many pairs of leaves meet there or below on a shortest way; at 0 how many are connected. */
    private static long[] pairsUpTo(EdgeHops hops, boolean[] leaf, int highest) {
        long[] pairs = new long[highest + 1];
        for (int one = 0; one < leaf.length; one++) {
            for (int other = 0; leaf[one] && other < one; other++) {
                int distance = hops.hops(one, other);
                if (leaf[other] && distance != EdgeHops.UNREACHABLE) {
                    pairs[0]++;
                    int level = Math.max(2, (distance + 1) / 2 + 1);
                    if (level <= highest) {
                        pairs[level]++;
                    }
                }
            }
        }
        for (int level = 2; level <= highest; level++) {
            pairs[level] += pairs[level - 1];
        }
        return pairs;
    }

    private static boolean nearEnough(EdgeHops hops, boolean[] leaf, int[] subtrees, int level) {
        long together = 0;
        long near = 0;
        for (int one = 0; one < leaf.length; one++) {
            int subtree = subtrees[hops.switchOf(one)];
            for (int other = 0; leaf[one] && other < one; other++) {
                if (leaf[other] && subtrees[hops.switchOf(other)] == subtree) {
                    together++;
                    near += hops.hops(one, other) <= 2 * (level - 1) ? 1 : 0;
                }
            }
        }
        return near >= Thresholds.ENOUGH_PAIRS * together;
    }

    /** {@code null} where the cables between neighbouring levels alone connect what is connected, and hardly any run across. */
    private static @Nullable NoMatch across(Topology topology, EdgeHops hops, boolean[] leaf, int[] levels, int top) {
        int within = 0;
        int across = 0;
        for (int s = 0; s < levels.length; s++) {
            for (int n = topology.firstNeighbor(s); n < topology.firstNeighbor(s + 1); n++) {
                int neighbor = topology.neighbor(n);
                boolean both = levels[s] > 0 && levels[neighbor] > 0;
                if (neighbor < s && both && levels[s] <= top && levels[neighbor] <= top) {
                    within++;
                    across += levels[neighbor] == levels[s] ? 1 : 0;
                }
            }
        }
        int[] joined = Subtrees.upTo(topology, levels, top);
        if (across > Thresholds.PEER_LINKS * within) {
            return new NoMatch(Reason.SAME_LEVEL, across, within);
        }
        int apart = Subtrees.count(joined, hops, leaf);
        int parts = parts(hops, leaf);
        return apart == parts ? null : new NoMatch(Reason.JOINED_ACROSS, apart, parts);
    }

    /** Connected parts that hold leaves, by whatever cables. */
    private static int parts(EdgeHops hops, boolean[] leaf) {
        int parts = 0;
        for (int one = 0; one < leaf.length; one++) {
            boolean first = leaf[one];
            for (int other = 0; first && other < one; other++) {
                first = !leaf[other] || hops.hops(one, other) == EdgeHops.UNREACHABLE;
            }
            parts += first ? 1 : 0;
        }
        return parts;
    }

    /**
     * Parts beside a fabric: service trees, islands behind one leaf, and small components of their own.
     *
     * @param others by edge switch, whether it is in none of these parts
     * @param holderOfSwitch for a switch of such a part, the switch of the rest through which it is connected; -1 for
     *     others
     */
    private record HangingParts(boolean[] others, int[] holderOfSwitch) {
        /** What is outside the 2-core; {@code null} where that is nothing, or too much. */
        static @Nullable HangingParts of(Topology topology, EdgeHops hops) {
            Subgraph graph = Subgraph.twoCore(topology);
            boolean[] others = new boolean[hops.size()];
            for (int edge = 0; edge < others.length; edge++) {
                others[edge] = graph.nodeOf(hops.switchOf(edge)) >= 0;
            }
            int[] holder = new int[topology.switches()];
            for (int s = 0; s < holder.length; s++) {
                holder[s] = graph.nodeOf(s) >= 0 ? -1 : graph.holderOf(s);
            }
            return new HangingParts(others, holder).ifFew();
        }

        /** What one leaf alone joins, with cycles of its own; {@code null} likewise. */
        static @Nullable HangingParts behindLeaves(Topology topology, EdgeHops hops) {
            boolean[] holdsDevices = new boolean[topology.switches()];
            for (int edge = 0; edge < hops.size(); edge++) {
                holdsDevices[hops.switchOf(edge)] = true;
            }
            int[] holder = BehindLeaves.holders(topology, holdsDevices);
            boolean[] others = new boolean[hops.size()];
            for (int edge = 0; edge < others.length; edge++) {
                others[edge] = holder[hops.switchOf(edge)] < 0;
            }
            return new HangingParts(others, holder).ifFew();
        }

        private @Nullable HangingParts ifFew() {
            int hanging = others.length - leafCount(others);
            return hanging == 0 || hanging > Thresholds.FEW_ELSEWHERE * others.length ? null : this;
        }
    }
}
