/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.node;

import dev.fabricoperator.fabric.tier.TierTree;
import dev.fabricoperator.operator.cluster.NodeFacts;
import dev.fabricoperator.operator.controller.integration.FabricTrees;
import dev.fabricoperator.operator.controller.integration.FabricTrees.FabricTree;
import dev.fabricoperator.operator.controller.integration.NodeWriter;
import dev.fabricoperator.view.mapping.ObjectNames;
import dev.fabricoperator.view.mapping.PlaceLabels;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The labels that Nodes should have, by the model alone.
 *
 * @param byNode the labels of each node that has a place
 * @param fabricOfNode the Fabric that its labels speak of
 * @param keptFabrics Fabrics whose nodes keep what they have, as a label says their names
 * @param values of all labels that say a part of a Fabric
 * @param trees what the labels are made from
 */
record NodeLabels(
        Map<String, Map<String, String>> byNode,
        Map<String, String> fabricOfNode,
        Set<String> keptFabrics,
        Set<String> values,
        List<FabricTree> trees)
        implements NodeWriter.WantedOfNodes {
    static final String SYSTEM = "node-labels";
    static final NodeLabels NONE = new NodeLabels(Map.of(), Map.of(), Set.of(), Set.of(), List.of());

    /** @param topograph whether topograph's keys are wanted too */
    static NodeLabels of(FabricTrees trees, boolean topograph) {
        Set<String> values = new HashSet<>();
        Map<String, Map<String, String>> byNode = new HashMap<>();
        Map<String, String> fabricOfNode = new HashMap<>();
        Set<String> kept = new HashSet<>();
        trees.unknown().forEach(fabric -> kept.add(ObjectNames.label(fabric)));
        for (FabricTree fabric : trees.trees()) {
            String name = fabric.state().name();
            TierTree tree = fabric.tree();
            if (fabric.defect() != null) {
                kept.add(ObjectNames.label(name));
            } else if (tree != null) {
                tree.vertices().forEach(vertex -> values.add(ObjectNames.label(vertex.name())));
                // Hosts of one leaf share theirs.
                Map<SortedMap<Integer, String>, Map<String, String>> labels = new HashMap<>();
                tree.placesOfHosts().forEach((host, place) -> {
                    byNode.put(host, labels.computeIfAbsent(place, p -> labels(name, p, topograph)));
                    fabricOfNode.put(host, name);
                });
            }
        }
        return new NodeLabels(byNode, fabricOfNode, kept, values, trees.trees());
    }

    private static Map<String, String> labels(String fabric, SortedMap<Integer, String> place, boolean topograph) {
        Map<String, String> labels = new TreeMap<>();
        labels.put(PlaceLabels.FABRIC, ObjectNames.label(fabric));
        place.forEach((tier, vertex) -> {
            labels.put(PlaceLabels.tier(tier), ObjectNames.label(vertex));
            if (topograph) {
                labels.put(PlaceLabels.topographTier(tier - place.firstKey()), ObjectNames.label(vertex));
            }
        });
        return labels;
    }

    @Override
    public SortedMap<String, @Nullable String> difference(NodeFacts node) {
        SortedMap<String, @Nullable String> difference = new TreeMap<>();
        if (keptFabrics.contains(node.labels().getOrDefault(PlaceLabels.FABRIC, ""))) {
            return difference;
        }
        Map<String, String> wanted = byNode.getOrDefault(node.name(), Map.of());
        wanted.forEach((key, value) -> {
            if (!value.equals(node.labels().get(key)) && !isAnothers(node, key)) {
                difference.put(key, value);
            }
        });
        for (String key : node.labels().keySet()) {
            if (!wanted.containsKey(key)
                    && (PlaceLabels.isOurs(key) || PlaceLabels.isTopographs(key) && !isAnothers(node, key))) {
                difference.put(key, null);
            }
        }
        return difference;
    }

    @Override
    public @Nullable Object valuesOf(String node) {
        return byNode.get(node);
    }

    @Override
    public Collection<String> fabricsOf(String node) {
        String fabric = fabricOfNode.get(node);
        return fabric == null ? List.of() : List.of(fabric);
    }

    @Override
    public boolean meetsAnothers(NodeFacts node) {
        return byNode.getOrDefault(node.name(), Map.of()).keySet().stream().anyMatch(key -> isAnothers(node, key));
    }

    /**
     * Whether it is one of topograph's keys, with a value that the operator has not given it: what it writes there is the name of
     * a part of a Fabric, or of what was one when the Node's own tiers were written, which change by the same patch.
     */
    private boolean isAnothers(NodeFacts node, String key) {
        String value = node.labels().get(key);
        return PlaceLabels.isTopographs(key)
                && value != null
                && !values.contains(value)
                && node.labels().entrySet().stream()
                        .noneMatch(label -> PlaceLabels.isOurs(label.getKey())
                                && label.getValue().equals(value));
    }

    /** Without a walk over the nodes. */
    @Override
    public int hashCode() {
        return byNode.size();
    }
}
