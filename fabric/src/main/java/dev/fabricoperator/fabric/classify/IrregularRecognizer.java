/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;

/** Takes every wiring: each switch that holds devices is a leaf of its own, and a group. Without switches, flat. */
final class IrregularRecognizer implements Classifier.Recognizer {
    @Override
    public Classification recognize(Topology topology, EdgeHops hops) {
        int switches = topology.switches();
        int[] planeOfEnd = new int[topology.ends()];
        if (switches == 0) {
            int groups = topology.ends() > 0 ? 1 : 0;
            return new Classification(
                    FabricKind.Flat,
                    new int[0],
                    new int[0][],
                    1,
                    new int[0],
                    planeOfEnd,
                    groups,
                    new int[0],
                    planeOfEnd);
        }
        int[] leaf = new int[switches];
        Arrays.fill(leaf, -1);
        for (int edge = 0; edge < hops.size(); edge++) {
            leaf[hops.switchOf(edge)] = edge;
        }
        Groups groups = Groups.byHost(topology, leaf, hops.size());
        return new Classification(
                FabricKind.Irregular,
                BreadthFirst.levels(topology, s -> hops.edgeOf(s) >= 0),
                new int[][] {leaf},
                1,
                new int[switches],
                planeOfEnd,
                groups.count(),
                leaf,
                groups.ofEnd());
    }
}
