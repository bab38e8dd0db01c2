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
    public static List<Finding> of(
            Topology topology, Classification classification, Weights weights, ExemptHosts exempt) {
        List<Finding> found = new ArrayList<>();
        for (TopologyProblem problem : topology.problems()) {
            found.add(
                    new Finding(type(problem.kind()), problem.object(), problem.message(), places(topology, problem)));
        }
        ClassifiedTopology wiring = ClassifiedTopology.of(topology, classification);
        weights.drainedSwitches().forEach(id -> found.add(drained(wiring, id, id, 0)));
        weights.drainedPorts()
                .forEach(
                        port -> found.add(drained(wiring, port.id() + " port " + port.port(), port.id(), port.port())));
        if (topology.isOfCliques()) {
            found.addAll(NvlinkDomains.of(wiring));
            new HostPattern(wiring, exempt).missingRails().forEach(each -> found.add(each.finding()));
            return List.copyOf(new TreeSet<>(found));
        }
        found.addAll(Partitions.of(wiring));
        found.addAll(SlowLinks.of(wiring));
        found.addAll(MissingCables.of(wiring));
        found.addAll(
                switch (classification.kind()) {
                    case FatTree, RailOptimized, DragonflyPlus -> TreePattern.links(wiring);
                    case Torus, Mesh, HyperX -> LatticePattern.of(wiring);
                    case Dragonfly -> GroupPattern.of(wiring);
                    case Irregular -> Bridges.of(wiring);
                    case Flat -> List.<Finding>of();
                });
        if (classification.kind() == FabricKind.DragonflyPlus) {
            found.addAll(GroupPattern.betweenTrees(wiring));
        }
        HostPattern hosts = new HostPattern(wiring, exempt);
        found.addAll(hosts.swapped());
        found.addAll(switches(wiring, hosts.missingRails()));
        return List.copyOf(new TreeSet<>(found));
    }

    /** Switches that groups of trees lack with the hosts that lack a device because of it, and what other hosts lack. */
    private static List<Finding> switches(ClassifiedTopology wiring, List<HostPattern.MissingRails> rails) {
        List<HostPattern.MissingRails> others = new ArrayList<>(rails);
        List<Finding> found = new ArrayList<>();
        boolean isTree = switch (wiring.classification().kind()) {
            case FatTree, RailOptimized, DragonflyPlus -> true;
            case Torus, Mesh, HyperX, Dragonfly, Irregular, Flat -> false;
        };
        for (TreePattern.MissingSwitches missing :
                isTree ? TreePattern.switches(wiring) : List.<TreePattern.MissingSwitches>of()) {
            HostPattern.MissingRails consequence = others.stream()
                    .filter(each -> missing.level() == 1 && each.group() == missing.group() && each.noSwitch())
                    .findFirst()
                    .orElse(null);
            others.remove(consequence);
            found.add(missing.finding(wiring, consequence));
        }
        others.forEach(each -> found.add(each.finding()));
        return found;
    }

    private static Finding drained(ClassifiedTopology wiring, String object, String id, int port) {
        int at = wiring.topology().switchIndex(id);
        Finding.Place place = at < 0 ? new Finding.Place(id, id, port) : wiring.place(at, port);
        return new Finding(
                FindingType.Drained, object, place.words() + " is drained: nothing is sent through it", place);
    }

    /** The switch, or the port of one, that a problem is about; none for a device. */
    private static Finding.Place[] places(Topology topology, TopologyProblem problem) {
        int at = topology.switchIndex(problem.id());
        return at < 0
                ? new Finding.Place[0]
                : new Finding.Place[] {
                    new Finding.Place(problem.id(), topology.switchName(at), Math.max(problem.port(), 0))
                };
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
