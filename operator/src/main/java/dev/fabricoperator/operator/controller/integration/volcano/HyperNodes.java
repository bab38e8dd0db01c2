/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.volcano;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.fabric.tier.TierTree;
import dev.fabricoperator.operator.controller.integration.FabricTrees;
import dev.fabricoperator.operator.controller.integration.FabricTrees.FabricTree;
import dev.fabricoperator.operator.controller.integration.Integration;
import dev.fabricoperator.operator.controller.integration.ModelTrees;
import dev.fabricoperator.operator.controller.integration.WantedObjects;
import dev.fabricoperator.operator.controller.integration.WantedObjects.Wanted;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.Messages;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.view.mapping.ObjectNames;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Each compute Fabric as a tree of HyperNodes; see {@link TierTree} for what becomes of its topology. */
@Singleton
public final class HyperNodes implements Integration {
    private static final ResourceDefinitionContext KIND = new ResourceDefinitionContext.Builder()
            .withGroup("topology.volcano.sh")
            .withVersion("v1alpha1")
            .withKind("HyperNode")
            .withPlural("hypernodes")
            .withNamespaced(false)
            .build();

    private final VolcanoSettings settings;

    private final ModelTrees trees;

    public HyperNodes(VolcanoSettings settings, ModelTrees trees) {
        this.settings = settings;
        this.trees = trees;
    }

    @Override
    public String name() {
        return "volcano";
    }

    @Override
    public ResourceDefinitionContext kind() {
        return KIND;
    }

    /** Volcano's own discoverers delete what has theirs there. */
    @Override
    public String sourceLabel() {
        return "volcano.sh/network-topology-source";
    }

    @Override
    public ConditionType condition() {
        return ConditionType.HyperNodesCurrent;
    }

    @Override
    public boolean isEnabled() {
        return settings.enabled();
    }

    @Override
    public WantedObjects wanted(ClusterModel model) {
        FabricTrees all = trees.of(model, name());
        Set<String> kept = new HashSet<>(all.unknown());
        List<Wanted> objects = new ArrayList<>();
        SortedMap<String, ConditionDraft> conditions = new TreeMap<>();
        for (FabricTree fabric : all.trees()) {
            String name = fabric.state().name();
            TierTree tree = fabric.tree();
            if (fabric.defect() != null) {
                kept.add(name);
            } else if (tree != null) {
                tree.vertices()
                        .forEach(vertex ->
                                objects.add(new Wanted(ObjectNames.label(vertex.name()), name, spec(vertex))));
            }
            conditions.put(name, draft(fabric, tree));
        }
        return new WantedObjects(objects, kept, conditions);
    }

    private ConditionDraft draft(FabricTree fabric, @Nullable TierTree tree) {
        return tree == null
                ? fabric.withoutTree(condition(), "the HyperNodes stay as they are")
                : new ConditionDraft(
                        condition(),
                        ConditionStatus.True,
                        tree.vertices().isEmpty() ? Reason.NothingToTell : Reason.Written,
                        message(tree));
    }

    private static String message(TierTree tree) {
        Map<Integer, String> names = new TreeMap<>();
        Map<Integer, Integer> counts = new TreeMap<>();
        int nodes = 0;
        for (TierTree.Vertex vertex : tree.vertices()) {
            names.put(vertex.tier(), vertex.tierName());
            counts.merge(vertex.tier(), 1, Integer::sum);
            nodes += vertex.hosts().size();
        }
        List<String> tiers = new ArrayList<>();
        counts.forEach((tier, count) -> tiers.add(count + " of tier " + tier + " (" + names.get(tier) + ")"));
        String all = nodes == 0
                ? FabricTrees.NOBODY
                : Messages.count(tree.vertices().size(), "HyperNode holds ", "HyperNodes hold ")
                        + Messages.count(nodes, "node", "nodes") + ": " + String.join(", ", tiers);
        return all + FabricTree.unplaced(tree);
    }

    private static Map<String, Object> spec(TierTree.Vertex vertex) {
        List<Map<String, Object>> members = Stream.concat(
                        vertex.below().stream().map(name -> member("HyperNode", ObjectNames.label(name))),
                        vertex.hosts().stream().map(name -> member("Node", name)))
                .toList();
        return Map.of("tier", vertex.tier(), "tierName", vertex.tierName(), "members", members);
    }

    private static Map<String, Object> member(String type, String name) {
        return Map.of("type", type, "selector", Map.of("exactMatch", Map.of("name", name)));
    }
}
