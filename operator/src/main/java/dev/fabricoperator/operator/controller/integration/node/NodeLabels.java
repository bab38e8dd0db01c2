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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The labels that Nodes should have, by the model alone. Each Fabric has keys of its own; those without a Fabric's name are of the
 * Fabric that goes first for the Node.
 *
 * @param byNode the labels of each node that has a place
 * @param fabricsOfNode the Fabrics that its labels speak of
 * @param kept what nodes keep
 * @param values of all labels that say a part of a Fabric
 * @param trees what the labels are made from
 */
record NodeLabels(
        Map<String, Map<String, String>> byNode,
        Map<String, List<String>> fabricsOfNode,
        Kept kept,
        Set<String> values,
        List<FabricTree> trees)
        implements NodeWriter.WantedOfNodes {
    static final String SYSTEM = "node-labels";
    static final NodeLabels NONE =
            new NodeLabels(Map.of(), Map.of(), new Kept(Set.of(), Set.of()), Set.of(), List.of());

    /**
     * Fabrics that cannot be modelled, whose labels stay.
     *
     * @param names as a label says them
     * @param prefixes of the keys that are their own
     */
    record Kept(Set<String> names, Set<String> prefixes) {
        void add(String fabric) {
            names.add(ObjectNames.label(fabric));
            prefixes.add(PlaceLabels.prefix(fabric));
        }

        boolean holds(NodeFacts node, String key) {
            String prefix = PlaceLabels.prefixOf(key);
            return prefix == null
                    ? names.contains(node.labels().getOrDefault(PlaceLabels.FABRIC, ""))
                    : prefixes.contains(prefix);
        }
    }

    /** @param topograph whether topograph's keys are wanted too */
    static NodeLabels of(FabricTrees trees, boolean topograph) {
        Set<String> values = new HashSet<>();
        Map<String, Map<String, String>> byNode = new HashMap<>();
        Map<String, List<String>> fabricsOfNode = new HashMap<>();
        Kept kept = new Kept(new HashSet<>(), new HashSet<>());
        trees.unknown().forEach(kept::add);
        for (FabricTree fabric : trees.trees()) {
            String name = fabric.state().name();
            if (fabric.defect() != null) {
                kept.add(name);
            }
            TierTree ofAll = fabric.ofAll();
            if (ofAll != null) {
                TierTree tree = fabric.tree();
                Set<String> first =
                        tree == null ? Set.of() : tree.placesOfHosts().keySet();
                ofAll.vertices().forEach(vertex -> values.add(ObjectNames.label(vertex.name())));
                // Hosts of one leaf share theirs.
                Map<SortedMap<Integer, String>, Map<String, String>> own = new HashMap<>();
                Map<SortedMap<Integer, String>, Map<String, String>> all = new HashMap<>();
                ofAll.placesOfHosts().forEach((host, place) -> {
                    Map<String, String> labels = first.contains(host)
                            ? all.computeIfAbsent(place, p -> labels(name, p, true, topograph))
                            : own.computeIfAbsent(place, p -> labels(name, p, false, topograph));
                    byNode.merge(host, labels, NodeLabels::together);
                    fabricsOfNode.merge(
                            host,
                            List.of(name),
                            (some, one) ->
                                    Stream.concat(some.stream(), one.stream()).toList());
                });
            }
        }
        return new NodeLabels(byNode, fabricsOfNode, kept, values, trees.trees());
    }

    private static Map<String, String> together(Map<String, String> some, Map<String, String> others) {
        Map<String, String> labels = new TreeMap<>(some);
        labels.putAll(others);
        return labels;
    }

    /** @param goesFirst whether the labels without a Fabric's name are this one's */
    private static Map<String, String> labels(
            String fabric, SortedMap<Integer, String> place, boolean goesFirst, boolean topograph) {
        String prefix = PlaceLabels.prefix(fabric);
        Map<String, String> labels = new TreeMap<>();
        if (goesFirst) {
            labels.put(PlaceLabels.FABRIC, ObjectNames.label(fabric));
        }
        place.forEach((tier, vertex) -> {
            String value = ObjectNames.label(vertex);
            labels.put(PlaceLabels.tier(prefix, tier), value);
            if (goesFirst) {
                labels.put(PlaceLabels.tier(tier), value);
            }
            if (goesFirst && topograph) {
                labels.put(PlaceLabels.topographTier(tier - place.firstKey()), value);
            }
        });
        return labels;
    }

    @Override
    public SortedMap<String, @Nullable String> difference(NodeFacts node) {
        SortedMap<String, @Nullable String> difference = new TreeMap<>();
        Map<String, String> wanted = byNode.getOrDefault(node.name(), Map.of());
        wanted.forEach((key, value) -> {
            if (!value.equals(node.labels().get(key)) && !isAnothers(node, key) && !kept.holds(node, key)) {
                difference.put(key, value);
            }
        });
        for (String key : node.labels().keySet()) {
            if (!wanted.containsKey(key)
                    && (PlaceLabels.isOurs(key) || PlaceLabels.isTopographs(key) && !isAnothers(node, key))
                    && !kept.holds(node, key)) {
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
        return fabricsOfNode.getOrDefault(node, List.of());
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
