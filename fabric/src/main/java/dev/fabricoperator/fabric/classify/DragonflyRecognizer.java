/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.classify.NoMatch.Reason;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;

/**
 * Dragonflies: groups of switches that are fully connected, or made of fully connected rows and columns, and each group has
 * links to all others. Axes are the group and the router in it.
 *
 * <p>Idea: neighbours of one group have many common neighbours, neighbours of different groups few. Groups are first
 * searched as cliques, the clearest ones first, and rows that are matched node by node are merged. If that does not fit,
 * groups are the components of the edges whose ends have at least k common neighbours, for several k. The division that fits
 * the pattern best wins.
 *
 * @see "Kim et al., Technology-Driven, Highly-Scalable Dragonfly Topology, ISCA 2008"
 * @see "Alverson et al., Cray XC Series Network, 2012"
 */
final class DragonflyRecognizer implements Classifier.Recognizer {
    private static final int SMALLEST = 6;
    private static final int MAX_TRIALS = 16;

    @Override
    public Recognition recognize(Topology topology, EdgeHops hops) {
        Subgraph graph = Subgraph.twoCore(topology);
        if (graph.size() < SMALLEST) {
            return new NoMatch(Reason.FEW_IN_GROUPS, graph.size(), SMALLEST);
        }
        int[] common = common(graph);
        DragonflyGroups best = DragonflyGroups.byCliques(graph, common);
        DragonflyGroups merged = best.withRowsMerged();
        double score = merged.score();
        best = score > 0 ? merged : best;
        score = score > 0 ? score : best.score();
        int[] trials = score > Thresholds.FITTING_WELL ? new int[0] : trials(common);
        for (int atLeast : trials) {
            DragonflyGroups groups = DragonflyGroups.of(graph, common, atLeast);
            double other = groups.score();
            best = other > score ? groups : best;
            score = Math.max(score, other);
        }
        if (score < 1 && trials.length > 0) {
            int[] searched = GroupSearch.of(graph, best.groupOf());
            DragonflyGroups groups = DragonflyGroups.given(graph, searched);
            double other = searched.length == 0 ? 0 : groups.score();
            boolean says = other > 0 && (score == 0 || groups.bitsSaved() > best.bitsSaved());
            best = says ? groups : best;
            score = says ? other : score;
        }
        if (score == 0) {
            return best.whyNot();
        }
        int[] groupOfNode = best.groupOf();
        int[] groupOf = new int[topology.switches()];
        boolean[] numbered = new boolean[topology.switches()];
        for (int s = 0; s < groupOf.length; s++) {
            int node = graph.nodeOf(s);
            groupOf[s] = node < 0 ? -1 : groupOfNode[node];
            numbered[s] = groupOf[s] >= 0;
        }
        return GroupedFabric.classify(topology, hops, FabricKind.Dragonfly, groupOf, numbered);
    }

    /** Common neighbours of the two nodes of each entry. */
    static int[] common(Subgraph graph) {
        int[] common = new int[graph.entries()];
        for (int node = 0; node < graph.size(); node++) {
            for (int e = graph.firstNeighbor(node); e < graph.firstNeighbor(node + 1); e++) {
                int other = graph.neighbor(e);
                if (other > node) {
                    common[e] = graph.common(node, other);
                    common[graph.entry(other, node)] = common[e];
                }
            }
        }
        return common;
    }

    /** Numbers of common neighbours that occur, ascending, evenly thinned out. */
    private static int[] trials(int[] common) {
        int[] values =
                Arrays.stream(common).filter(c -> c > 0).distinct().sorted().toArray();
        int count = Math.min(values.length, MAX_TRIALS);
        int[] trials = new int[count];
        Arrays.setAll(trials, i -> values[(int) ((long) i * values.length / count)]);
        return trials;
    }
}
