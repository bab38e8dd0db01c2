/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.kueue;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.fabric.tier.TierTree;
import dev.fabricoperator.operator.controller.integration.FabricTrees;
import dev.fabricoperator.operator.controller.integration.FabricTrees.FabricTree;
import dev.fabricoperator.operator.controller.integration.Integration;
import dev.fabricoperator.operator.controller.integration.ModelTrees;
import dev.fabricoperator.operator.controller.integration.WantedObjects;
import dev.fabricoperator.operator.controller.integration.WantedObjects.Wanted;
import dev.fabricoperator.operator.controller.integration.node.NodeLabelLoop;
import dev.fabricoperator.operator.controller.integration.node.NodeLabelSettings;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.view.mapping.ObjectNames;
import dev.fabricoperator.view.mapping.PlaceLabels;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** A Topology for each compute Fabric whose nodes are labelled: its levels are their labels. */
@Singleton
public final class Topologies implements Integration {
    private static final ResourceDefinitionContext KIND = new ResourceDefinitionContext.Builder()
            .withGroup("kueue.x-k8s.io")
            .withVersion("v1beta2")
            .withKind("Topology")
            .withPlural("topologies")
            .withNamespaced(false)
            .build();
    private static final String HOSTNAME = "kubernetes.io/hostname";
    /** Without that of the host name; Kueue takes one more. */
    private static final int MOST_LEVELS = 15;

    private final KueueSettings settings;
    private final NodeLabelSettings labels;
    private final ModelTrees trees;

    public Topologies(KueueSettings settings, NodeLabelSettings labels, ModelTrees trees) {
        this.settings = settings;
        this.labels = labels;
        this.trees = trees;
    }

    @Override
    public String name() {
        return "kueue";
    }

    @Override
    public ResourceDefinitionContext kind() {
        return KIND;
    }

    @Override
    public String sourceLabel() {
        return "app.kubernetes.io/managed-by";
    }

    @Override
    public ConditionType condition() {
        return ConditionType.KueueTopologyCurrent;
    }

    @Override
    public boolean isEnabled() {
        return settings.enabled() && labels.enabled() != NodeLabelSettings.Wanted.FALSE;
    }

    @Override
    public String whatIsFixed() {
        return "Kueue before 0.20 lets nobody change the levels of a Topology, and the Fabric has others now. It is left as"
                + " it is, and tried again now and then: take a newer Kueue, or delete it and the ResourceFlavors that name"
                + " it when their workloads may be queued anew, and the operator makes the new one";
    }

    @Override
    public WantedObjects wanted(ClusterModel model) {
        FabricTrees all = trees.of(model, NodeLabelLoop.SYSTEM);
        Set<String> kept = new HashSet<>(all.unknown());
        List<Wanted> objects = new ArrayList<>();
        SortedMap<String, ConditionDraft> conditions = new TreeMap<>();
        for (FabricTree fabric : all.trees()) {
            String name = fabric.state().name();
            TierTree tree = fabric.tree();
            if (fabric.state().facts().notIntegrated().contains(name())) {
                continue;
            }
            // Kueue holds what workloads depend on, and one that is being deleted never comes back by itself; a tree
            // may.
            kept.add(name);
            if (tree == null) {
                conditions.put(name, fabric.withoutTree(condition(), "the Topology stays as it is"));
            } else if (tree.vertices().isEmpty()) {
                conditions.put(
                        name,
                        new ConditionDraft(
                                condition(), ConditionStatus.True, Reason.NothingToTell, FabricTrees.NOBODY));
            } else {
                List<String> levels = levels(tree);
                objects.add(new Wanted(ObjectNames.dns(name), name, spec(levels)));
                conditions.put(
                        name,
                        new ConditionDraft(
                                condition(),
                                ConditionStatus.True,
                                Reason.Written,
                                "Topology " + ObjectNames.dns(name) + " has the levels " + String.join(", ", levels)));
            }
        }
        return new WantedObjects(objects, kept, conditions);
    }

    /** Coarse to fine. */
    private static List<String> levels(TierTree tree) {
        int lowest = tree.vertices().getFirst().tier();
        int highest = Math.min(tree.vertices().getLast().tier(), lowest + MOST_LEVELS - 1);
        List<String> levels = new ArrayList<>();
        for (int tier = highest; tier >= lowest; tier--) {
            levels.add(PlaceLabels.tier(tier));
        }
        levels.add(HOSTNAME);
        return levels;
    }

    private static Map<String, Object> spec(List<String> levels) {
        return Map.of(
                "levels",
                levels.stream().map(level -> Map.of("nodeLabel", level)).toList());
    }
}
