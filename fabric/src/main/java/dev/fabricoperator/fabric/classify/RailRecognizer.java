/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.classify.NoMatch.Reason;
import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;

/**
 * Rail-optimised fabrics: a tree whose hosts have one device on each leaf of their scalable unit. Axes are unit and
 * rail. A leaf in no unit, such as one that holds storage only, is a unit of its own with rail 0.
 *
 * @see "NVIDIA DGX SuperPOD Reference Architecture, Compute Fabric"
 */
final class RailRecognizer implements Classifier.Recognizer {
    /** Instead of a plane. */
    private static final int SEVERAL = -1;

    private static final int NOTHING_BELOW = -2;

    @Override
    public Recognition recognize(Topology topology, EdgeHops hops) {
        Rails rails = Rails.of(topology, hops);
        if (rails == null) {
            return new NoMatch(Reason.NO_RAILS);
        }
        Recognition tree = TreeShape.of(topology, hops);
        if (!(tree instanceof TreeShape shape)) {
            return tree;
        }
        TreePlanes planes = TreePlanes.of(topology, hops, shape);
        boolean treesOfTheirOwn =
                planes != null && !planes.joined() && !shape.subtrees().isEmpty();
        return treesOfTheirOwn ? new NoMatch(Reason.NO_RAILS) : classify(topology, hops, rails);
    }

    private static Classification classify(Topology topology, EdgeHops hops, Rails rails) {
        int switches = topology.switches();
        int[] railOfEdge = RailNumbers.of(topology, hops, rails);
        int[] unit = new int[switches];
        int[] rail = new int[switches];
        Arrays.fill(unit, -1);
        Arrays.fill(rail, -1);
        int[] numberOfUnit = new int[hops.size()];
        int units = 0;
        for (int edge = 0; edge < hops.size(); edge++) {
            if (rails.unitOfEdge()[edge] == edge) {
                numberOfUnit[edge] = units++;
            }
        }
        for (int edge = 0; edge < hops.size(); edge++) {
            int first = rails.unitOfEdge()[edge];
            unit[hops.switchOf(edge)] = first < 0 ? units++ : numberOfUnit[first];
            rail[hops.switchOf(edge)] = railOfEdge[edge];
        }
        int[] planeOfEnd = new int[topology.ends()];
        for (int end = 0; end < planeOfEnd.length; end++) {
            int at = topology.endSwitch(end);
            planeOfEnd[end] = at < 0 ? 0 : rail[at];
        }
        int[] levels = BreadthFirst.levels(topology, s -> hops.edgeOf(s) >= 0);
        Groups groups = Groups.byHost(topology, unit, units);
        return new Classification(
                FabricKind.RailOptimized,
                levels,
                new int[][] {unit, rail},
                Arrays.stream(rail).max().orElse(0) + 1,
                planes(topology, levels, rail),
                planeOfEnd,
                groups.count(),
                unit,
                groups.ofEnd());
    }

    /** A switch is of the plane that everything below it is of; -1 where planes share it. */
    static int[] planes(Topology topology, int[] levels, int[] rail) {
        int[] plane = new int[levels.length];
        int highest = 1;
        for (int s = 0; s < levels.length; s++) {
            plane[s] = rail[s] < 0 ? NOTHING_BELOW : rail[s];
            highest = Math.max(highest, levels[s]);
        }
        for (int level = 2; level <= highest; level++) {
            for (int s = 0; s < levels.length; s++) {
                for (int n = topology.firstNeighbor(s); levels[s] == level && n < topology.firstNeighbor(s + 1); n++) {
                    if (levels[topology.neighbor(n)] < level) {
                        plane[s] = common(plane[s], plane[topology.neighbor(n)]);
                    }
                }
            }
        }
        for (int s = 0; s < plane.length; s++) {
            plane[s] = Math.max(plane[s], SEVERAL);
        }
        return plane;
    }

    private static int common(int one, int other) {
        if (one == NOTHING_BELOW || one == other) {
            return other;
        }
        return other == NOTHING_BELOW ? one : SEVERAL;
    }
}
