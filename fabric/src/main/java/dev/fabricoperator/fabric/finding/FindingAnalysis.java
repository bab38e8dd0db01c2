/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.TopologyProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Compares a wiring with its own pattern: what most switches of a level, most cables of a bundle and most hosts have in
 * common. It needs neither names nor a plan; so an irregular wiring has few findings, and what is missing everywhere is not
 * found.
 *
 * <p>Cost: O(l + n) for l cables and n devices, and O(u * d) for each set of uplinks that occurs, with u of them and d
 * cables down from each.
 */
public final class FindingAnalysis {
    private FindingAnalysis() {}

    /** What to look at, ascending, each once. */
    public static List<Finding> of(Topology topology, Classification classification, Weights weights) {
        List<Finding> found = new ArrayList<>();
        for (TopologyProblem problem : topology.problems()) {
            found.add(new Finding(type(problem.kind()), problem.object(), problem.message()));
        }
        weights.drainedSwitches()
                .forEach(id -> found.add(new Finding(
                        FindingType.Drained, id, "switch " + id + " is drained: nothing is sent through it")));
        weights.drainedPorts()
                .forEach(port -> found.add(new Finding(
                        FindingType.Drained,
                        port.id() + " port " + port.port(),
                        "port " + port.port() + " of switch " + port.id()
                                + " is drained: nothing is sent through it")));
        found.addAll(Partitions.of(topology));
        ClassifiedTopology wiring = new ClassifiedTopology(topology, classification);
        found.addAll(SlowLinks.of(wiring));
        found.addAll(MissingCables.of(wiring));
        found.addAll(
                switch (classification.kind()) {
                    case FatTree, RailOptimized, DragonflyPlus -> TreePattern.of(wiring);
                    case Torus, Mesh, HyperX -> LatticePattern.of(wiring);
                    case Dragonfly -> GroupPattern.of(wiring);
                    case Irregular -> Bridges.of(topology);
                    case Flat -> List.<Finding>of();
                });
        if (classification.kind() == FabricKind.DragonflyPlus) {
            found.addAll(GroupPattern.betweenTrees(wiring));
        }
        found.addAll(HostPattern.of(wiring));
        return List.copyOf(new TreeSet<>(found));
    }

    private static FindingType type(TopologyProblem.Kind kind) {
        return switch (kind) {
            case PORT_DOWN -> FindingType.PortDown;
            case DUPLICATE_GUID -> FindingType.DuplicateGuid;
            case ONE_WAY_CABLE -> FindingType.OneWayCable;
            case CABLE_TO_NOWHERE -> FindingType.CableToNowhere;
            case CONTRADICTION -> FindingType.Contradiction;
            case UNCABLED -> FindingType.Uncabled;
        };
    }
}
