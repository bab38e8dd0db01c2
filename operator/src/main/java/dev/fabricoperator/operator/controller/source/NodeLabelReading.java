/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source;

import dev.fabricoperator.crds.NodeDevices;
import dev.fabricoperator.crds.NodeLabelSource;
import dev.fabricoperator.crds.SourceType;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.topology.HostEnds;
import dev.fabricoperator.formats.node.LabelTree;
import dev.fabricoperator.formats.node.LabelledNode;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.NodeFacts;
import dev.fabricoperator.operator.model.SourceProblem;
import dev.fabricoperator.view.mapping.PlaceLabels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What labels of the cluster's nodes say of a network, from the nodes that are watched anyway. */
final class NodeLabelReading {
    /** What messages call the nodes' list. */
    private static final String FILE = "labels of nodes";

    private static final long BITS_PER_GIGABIT = 1_000_000_000L;

    private NodeLabelReading() {}

    /**
     * Reads them now. That a node has no label is told where an agent has found a device there: other nodes need none.
     *
     * @param spec {@code null} for labels of a cloud that is known
     * @param last what this source said of each switch before
     * @param writesTopograph whether the operator writes labels of topograph, which would be its own answer then
     */
    static Reading of(
            @Nullable NodeLabelSource spec, FactStores stores, Collection<Switch> last, boolean writesTopograph) {
        List<String> keys = spec == null ? List.of() : spec.keys();
        String own = keys.stream()
                .filter(key -> writesTopograph && PlaceLabels.isTopographs(key))
                .findFirst()
                .orElse(null);
        if (own != null) {
            return failure(
                    "the operator itself writes " + own
                            + ", after what its sources say (FABRIC_OPERATOR_NODE_LABELS_TOPOGRAPH): turn that off, or name labels that somebody else writes");
        }
        List<LabelledNode> nodes = nodes(stores, Set.of());
        // Cliques are of nodes with some accelerators: a device for a network says nothing of them.
        if (!LabelTree.isOfCliques(nodes, keys)) {
            nodes = nodes(
                    stores,
                    stores.devices().facts().stream().map(DeviceFacts::nodeName).collect(Collectors.toSet()));
        }
        Integer gbps = spec == null ? null : spec.gbps();
        try {
            Cabling read = LabelTree.of(
                    FILE,
                    nodes,
                    keys,
                    gbps == null ? null : gbps * BITS_PER_GIGABIT,
                    spec != null && spec.devices() == NodeDevices.all,
                    last,
                    1);
            for (Switch block : read.switches()) {
                if (block.ports().size() > NeighborCabling.MAXIMUM_PORTS) {
                    return failure(block.id() + " has " + block.ports().size()
                            + " nodes and blocks below it, more than the " + NeighborCabling.MAXIMUM_PORTS
                            + " that a FabricSwitch holds: name keys of smaller blocks");
                }
            }
            // Nodes stand on no line.
            List<Problem> problems = read.problems().stream()
                    .map(problem -> new Problem(null, problem.message(), problem.wiring()))
                    .toList();
            return new Reading.Success(
                    SourceType.NodeLabels,
                    FILE,
                    new Cabling(read.source(), read.switches(), read.adapters(), 0, problems),
                    Reading.Evidence.Nodes);
        } catch (BadInputException e) {
            return failure(e.wrong());
        }
    }

    private static List<LabelledNode> nodes(FactStores stores, Set<String> expected) {
        return stores.nodes().facts().stream()
                .map(node -> new LabelledNode(node.name(), node.labels(), 1, expected.contains(node.name())))
                .toList();
    }

    private static Reading failure(String wrong) {
        return new Reading.Failure(
                SourceType.NodeLabels, new SourceProblem(SourceProblem.Kind.Unreadable, FILE + ": " + wrong));
    }

    /** The same without hosts whose nodes are gone, and without blocks in which nothing is left then. */
    static List<Switch> withNodesThatAreThere(List<Switch> before, FactStores stores) {
        Set<String> there = stores.nodes().facts().stream().map(NodeFacts::name).collect(Collectors.toSet());
        List<Switch> left =
                without(before, end -> HostEnds.hostOf(end) instanceof String host && !there.contains(host));
        while (true) {
            // In a tree a block without hosts that has one cable has it to the block above.
            Set<String> empty = left.stream()
                    .filter(block ->
                            block.ports().size() < 2 && block.ports().stream().noneMatch(port -> isHost(port.peer())))
                    .map(Switch::id)
                    .collect(Collectors.toSet());
            if (empty.isEmpty()) {
                return left;
            }
            left = without(
                    left.stream().filter(block -> !empty.contains(block.id())).toList(), empty::contains);
        }
    }

    private static boolean isHost(@Nullable PortPeer peer) {
        return peer != null && HostEnds.hostOf(peer.id()) != null;
    }

    private static List<Switch> without(List<Switch> blocks, Predicate<String> ends) {
        List<Switch> left = new ArrayList<>();
        for (Switch block : blocks) {
            List<SwitchPort> ports = block.ports().stream()
                    .filter(port ->
                            port.peer() != null && !ends.test(port.peer().id()))
                    .toList();
            left.add(SwitchBuilder.from(block).withPorts(ports));
        }
        return left;
    }
}
