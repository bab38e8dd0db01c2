/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.node;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.fabric.tier.TierTree;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.controller.integration.FabricTrees;
import dev.fabricoperator.operator.controller.integration.FabricTrees.FabricTree;
import dev.fabricoperator.operator.controller.integration.IntegrationSettings;
import dev.fabricoperator.operator.controller.integration.ModelTrees;
import dev.fabricoperator.operator.controller.integration.NodeWriter;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.Messages;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.view.mapping.PlaceLabels;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Keeps the labels that say where in a fabric a Node is. */
@Singleton
public final class NodeLabelLoop extends NodeWriter<NodeLabels> {
    /** What a Fabric's annotation calls it. */
    public static final String SYSTEM = NodeLabels.SYSTEM;

    private static final String KUEUE_GROUP = "kueue.x-k8s.io/";
    private static final List<String> KUEUE_VERSIONS = List.of("v1beta2", "v1beta1");

    private final KubernetesClient client;
    private final ModelTrees trees;
    private final NodeLabelSettings settings;
    private final Duration interval;

    private @Nullable ClusterModel modelOfWanted;
    private NodeLabels wanted = NodeLabels.NONE;
    private @Nullable Boolean kueue;
    private int looksWithoutKueue;
    private @Nullable Long lookedNanos;

    NodeLabelLoop(
            KubernetesClient client,
            FactStores stores,
            ModelTrees trees,
            MeterRegistry meters,
            Settings operator,
            IntegrationSettings integrations,
            NodeLabelSettings settings) {
        super(SYSTEM, ConditionType.NodeLabelsCurrent, Written.labels, client, stores, meters, operator, integrations);
        this.client = client;
        this.trees = trees;
        this.settings = settings;
        this.interval = integrations.interval();
    }

    /** So that tests make single steps. */
    @Override
    protected void bring(ClusterModel model) throws InterruptedException {
        super.bring(model);
    }

    @Override
    protected @Nullable NodeLabels wanted(ClusterModel model) {
        Boolean isWanted = switch (settings.enabled()) {
            case TRUE -> true;
            case FALSE -> false;
            case AUTO -> isKueueThere();
        };
        if (isWanted == null) {
            return null;
        }
        if (!isWanted) {
            modelOfWanted = null;
            return NodeLabels.NONE;
        }
        if (modelOfWanted != model) {
            wanted = NodeLabels.of(trees.of(model, SYSTEM), settings.topograph());
            modelOfWanted = model;
        }
        return wanted;
    }

    /**
     * Whether the API server knows Kueue's Topology: {@code null} until that is certain. One look is not enough to take the
     * labels off thousands of Nodes again, for the kinds of an API server that starts come one after the other.
     */
    private @Nullable Boolean isKueueThere() {
        Long looked = lookedNanos;
        if (looked == null || System.nanoTime() - looked >= interval.toNanos()) {
            boolean there =
                    KUEUE_VERSIONS.stream().anyMatch(version -> client.supports(KUEUE_GROUP + version, "Topology"));
            looksWithoutKueue = there ? 0 : looksWithoutKueue + 1;
            lookedNanos = System.nanoTime();
            if (looksWithoutKueue != 1) {
                kueue = there;
            }
        }
        return kueue;
    }

    @Override
    protected ConditionDraft draft(FabricTree fabric, int count, int shared) {
        TierTree tree = fabric.tree();
        if (tree == null) {
            return fabric.withoutTree(condition(), "the labels of its nodes stay as they are");
        }
        String others = shared == 0
                ? ""
                : "; of " + Messages.count(shared, "node", "nodes") + " labels of topograph are another's, and stay";
        return new ConditionDraft(
                condition(),
                ConditionStatus.True,
                count == 0 ? Reason.NothingToTell : Reason.Written,
                (count == 0
                                ? FabricTrees.NOBODY
                                : Messages.count(count, "node has", "nodes have") + " labels " + PlaceLabels.FABRIC
                                        + " and " + tiers(tree))
                        + FabricTree.unplaced(tree)
                        + others);
    }

    private static String tiers(TierTree tree) {
        SortedMap<Integer, String> names = new TreeMap<>();
        tree.vertices().forEach(vertex -> names.put(vertex.tier(), vertex.tierName()));
        List<String> tiers = new ArrayList<>();
        for (int tier = names.firstKey(); tier <= names.lastKey(); tier++) {
            String name = names.get(tier);
            tiers.add((tiers.isEmpty() ? PlaceLabels.tier(tier) : "tier-" + tier)
                    + (name == null ? "" : " (" + name + ")"));
        }
        return String.join(", ", tiers);
    }
}
