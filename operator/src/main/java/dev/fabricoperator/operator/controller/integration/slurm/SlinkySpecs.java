/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.slurm;

import dev.fabricoperator.formats.export.SlurmNodeNames;
import dev.fabricoperator.formats.export.SlurmPlugin;
import dev.fabricoperator.formats.export.SlurmWriter;
import dev.fabricoperator.operator.cluster.NodeFacts;
import dev.fabricoperator.operator.controller.integration.FabricTrees;
import dev.fabricoperator.operator.controller.integration.FabricTrees.FabricTree;
import dev.fabricoperator.operator.controller.integration.NodeWriter;
import dev.fabricoperator.view.mapping.FabricMember;
import dev.fabricoperator.view.mapping.PlaceLabels;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Slinky's annotations that Nodes should have, by the model alone: {@code TOPOLOGY:UNIT}, of several topologies with commas between, as
 * Slurm's node parameter {@code Topology} has it. Topologies and units are those of {@code topology.yaml}: a unit is a switch that holds
 * hosts, or a block.
 *
 * @param unitsOfNode by node and topology, in the order of the file
 * @param trees what they are made from
 */
record SlinkySpecs(Map<String, Map<String, String>> unitsOfNode, List<FabricTree> trees)
        implements NodeWriter.WantedOfNodes {
    static final SlinkySpecs NONE = new SlinkySpecs(Map.of(), List.of());

    static SlinkySpecs of(FabricTrees trees, SlurmPlugin plugin, SlurmNodeNames.Form names) {
        Map<String, Map<String, String>> units = new HashMap<>();
        for (FabricTree fabric : trees.trees()) {
            SlurmWriter.NamedTopology topology = SlurmTopologies.topology(fabric.state(), plugin, names);
            Map<String, String> nodeOfHost =
                    FabricMember.nodesByHost(fabric.state().members().values());
            SlurmWriter.units(topology)
                    .forEach((host, unit) -> units.computeIfAbsent(
                                    nodeOfHost.getOrDefault(host, host), h -> new TreeMap<>())
                            .put(fabric.state().name(), unit));
        }
        return new SlinkySpecs(units, trees.trees());
    }

    /** What a node's annotation should be; {@code null} for a node that is in no topology. */
    @Nullable
    String spec(String node) {
        Map<String, String> units = unitsOfNode.get(node);
        if (units == null) {
            return null;
        }
        return String.join(
                ",",
                units.entrySet().stream()
                        .map(unit -> unit.getKey() + ":" + unit.getValue())
                        .toList());
    }

    @Override
    public SortedMap<String, @Nullable String> difference(NodeFacts node) {
        SortedMap<String, @Nullable String> difference = new TreeMap<>();
        String there = node.annotations().get(PlaceLabels.SLINKY_SPEC);
        String written = node.annotations().get(PlaceLabels.SLINKY_WRITTEN);
        String spec = isAnothers(node) ? null : spec(node.name());
        if (spec != null && !spec.equals(there)) {
            difference.put(PlaceLabels.SLINKY_SPEC, spec);
        } else if (spec == null && there != null && !isAnothers(node)) {
            difference.put(PlaceLabels.SLINKY_SPEC, null);
        }
        if (spec == null ? written != null : !spec.equals(written)) {
            difference.put(PlaceLabels.SLINKY_WRITTEN, spec);
        }
        return difference;
    }

    /** What stands there is the operator's only while it is what the operator has written last. */
    private static boolean isAnothers(NodeFacts node) {
        String there = node.annotations().get(PlaceLabels.SLINKY_SPEC);
        return there != null && !there.equals(node.annotations().get(PlaceLabels.SLINKY_WRITTEN));
    }

    @Override
    public @Nullable Object valuesOf(String node) {
        return unitsOfNode.get(node);
    }

    @Override
    public Collection<String> fabricsOf(String node) {
        return unitsOfNode.getOrDefault(node, Map.of()).keySet();
    }

    @Override
    public boolean meetsAnothers(NodeFacts node) {
        return unitsOfNode.containsKey(node.name()) && isAnothers(node);
    }

    /** Without a walk over the nodes. */
    @Override
    public int hashCode() {
        return unitsOfNode.size();
    }
}
