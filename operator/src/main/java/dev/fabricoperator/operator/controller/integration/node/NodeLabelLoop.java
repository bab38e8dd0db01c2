/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.node;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.TierStatus;
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
import dev.fabricoperator.view.mapping.ObjectNames;
import dev.fabricoperator.view.mapping.PlaceLabels;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    private volatile Map<String, List<TierStatus>> tiers = Map.of();
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
            tiers = Map.of();
            return NodeLabels.NONE;
        }
        if (modelOfWanted != model) {
            wanted = NodeLabels.of(trees.of(model, SYSTEM), settings.topograph());
            modelOfWanted = model;
            tiers = tiers(wanted.trees());
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
    public List<TierStatus> tiers(String fabric, List<TierStatus> present) {
        List<TierStatus> written = tiers.get(fabric);
        if (written != null) {
            return written;
        }
        // Of one whose tree nobody knows now the labels stay, and so do their names.
        return wanted.kept().names().contains(ObjectNames.label(fabric)) ? present : List.of();
    }

    private static Map<String, List<TierStatus>> tiers(List<FabricTree> trees) {
        Map<String, List<TierStatus>> tiers = new HashMap<>();
        for (FabricTree fabric : trees) {
            String prefix = PlaceLabels.prefix(fabric.state().name());
            List<TierStatus> some = new ArrayList<>();
            if (fabric.ofAll() != null) {
                names(fabric.ofAll())
                        .forEach((tier, name) -> some.add(new TierStatus(name, PlaceLabels.tier(prefix, tier))));
                tiers.put(fabric.state().name(), List.copyOf(some));
            }
        }
        return tiers;
    }

    @Override
    protected ConditionDraft draft(FabricTree fabric, int count, int shared) {
        TierTree tree = fabric.tree();
        TierTree ofAll = fabric.ofAll();
        if (ofAll == null) {
            return fabric.withoutTree(condition(), "the labels of its nodes stay as they are");
        }
        String own =
                count == 0 ? "" : Messages.count(count, "node has", "nodes have") + " labels " + own(fabric, ofAll);
        if (tree == null) {
            ConditionDraft without = fabric.withoutTree(condition(), "");
            return new ConditionDraft(
                    without.type(),
                    without.status(),
                    without.reason(),
                    without.message() + (own.isEmpty() ? "" : "; " + own) + lacking(ofAll));
        }
        String others = shared == 0
                ? ""
                : "; of " + Messages.count(shared, "node", "nodes") + " labels of topograph are another's, and stay";
        return new ConditionDraft(
                condition(),
                ConditionStatus.True,
                count == 0 ? Reason.NothingToTell : Reason.Written,
                (count == 0 ? FabricTrees.NOBODY : own + first(tree, ofAll)) + lacking(ofAll) + others);
    }

    private static String own(FabricTree fabric, TierTree tree) {
        String prefix = PlaceLabels.prefix(fabric.state().name());
        List<String> tiers = new ArrayList<>();
        names(tree)
                .forEach((tier, name) -> tiers.add(
                        (tiers.isEmpty() ? PlaceLabels.tier(prefix, tier) : "tier-" + tier) + " (" + name + ")"));
        return String.join(", ", tiers);
    }

    /** For which of its nodes a Fabric goes first. */
    private static String first(TierTree tree, TierTree ofAll) {
        int all = hosts(ofAll);
        int first = hosts(tree);
        String keys = PlaceLabels.FABRIC + " and the same tiers behind " + FabricApi.GROUP + "/";
        if (first == all) {
            return "; " + keys;
        }
        return "; " + (first == 0 ? "none" : String.valueOf(first)) + " of " + all + " also " + keys
                + ", where no other Fabric goes first";
    }

    private static int hosts(TierTree tree) {
        return tree.vertices().stream()
                .mapToInt(vertex -> vertex.hosts().size())
                .sum();
    }

    private static String lacking(TierTree tree) {
        return tree.unplaced().isEmpty()
                ? ""
                : FabricTree.unplaced(tree)
                        + ": without labels, so that a scheduler that is told to keep a tier leaves "
                        + (tree.unplaced().size() == 1 ? "it" : "them") + " out";
    }

    /** Between them there may be a tier of which no part has several below it: it has no name, and the values of the tier below. */
    private static SortedMap<Integer, String> names(TierTree tree) {
        SortedMap<Integer, String> names = new TreeMap<>();
        tree.vertices().forEach(vertex -> names.put(vertex.tier(), vertex.tierName()));
        return names;
    }
}
