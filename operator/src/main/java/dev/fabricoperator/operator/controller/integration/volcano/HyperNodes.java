/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.volcano;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Purpose;
import dev.fabricoperator.crds.mapping.ObjectNames;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.tier.TierTree;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.controller.integration.Integration;
import dev.fabricoperator.operator.controller.integration.WantedObjects;
import dev.fabricoperator.operator.controller.integration.WantedObjects.Wanted;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.FabricState;
import dev.fabricoperator.operator.model.FailedFabric;
import dev.fabricoperator.operator.model.Messages;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Each compute Fabric as a tree of HyperNodes; see {@link TierTree} for what becomes of its topology.
 *
 * <p>A node is in one tree only: that of the first of its Fabrics, the one with the highest priority, then the lowest index.
 * Whether that one has a place for it right now does not matter, so that a node whose cable fails does not wander.
 */
@Singleton
public final class HyperNodes implements Integration {
    private static final Logger LOG = Logger.getLogger(HyperNodes.class);
    private static final ResourceDefinitionContext KIND = new ResourceDefinitionContext.Builder()
            .withGroup("topology.volcano.sh")
            .withVersion("v1alpha1")
            .withKind("HyperNode")
            .withPlural("hypernodes")
            .withNamespaced(false)
            .build();
    private static final Comparator<FabricState> FIRST = Comparator.comparingInt((FabricState state) ->
                    -Objects.requireNonNullElse(state.facts().spec().priority(), 0))
            .thenComparingInt(FabricState::index);

    private final VolcanoSettings settings;

    public HyperNodes(VolcanoSettings settings) {
        this.settings = settings;
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
        Set<String> kept = new HashSet<>();
        List<FabricState> states = new ArrayList<>(model.fabrics().values());
        for (FailedFabric failed : model.failed().values()) {
            FabricState last = failed.last();
            if (last == null) {
                kept.add(failed.name());
            } else {
                states.add(last);
            }
        }
        List<Wanted> objects = new ArrayList<>();
        SortedMap<String, ConditionDraft> told = new TreeMap<>();
        Set<String> placedElsewhere = new HashSet<>();
        states.stream().filter(state -> isAsked(state.facts())).sorted(FIRST).forEach(state -> {
            try {
                told.put(state.name(), add(state, placedElsewhere, objects));
            } catch (RuntimeException e) {
                // One Fabric that nobody can make a tree of must not keep the others from theirs.
                LOG.errorf(e, "no tree can be made of Fabric %s, and its HyperNodes stay as they are", state.name());
                kept.add(state.name());
                told.put(
                        state.name(),
                        draft(
                                ConditionStatus.Unknown,
                                Reason.ModelFailed,
                                "a defect of the operator, please report it with the lines of its log: " + e
                                        + "; the HyperNodes stay as they are"));
            }
            if (state.model().kind() != FabricKind.Flat) {
                state.members().values().forEach(device -> placedElsewhere.add(device.nodeName()));
            }
        });
        return new WantedObjects(objects, kept, told);
    }

    private boolean isAsked(FabricFacts fabric) {
        Purpose purpose = fabric.spec().purpose();
        return !fabric.deleting()
                && !fabric.notIntegrated().contains(name())
                && (purpose == null || purpose == Purpose.Compute);
    }

    /** @return what is to be said of the Fabric */
    private ConditionDraft add(FabricState state, Set<String> placedElsewhere, List<Wanted> objects) {
        if (state.model().kind() == FabricKind.Flat) {
            return draft(
                    ConditionStatus.False,
                    Reason.NothingToTell,
                    "no switch is known, so that no node is nearer to another than any; see "
                            + ConditionType.TopologyKnown);
        }
        TierTree tree = TierTree.of(state.model(), state.name(), slot -> nodeOf(state, slot, placedElsewhere));
        tree.vertices()
                .forEach(vertex -> objects.add(new Wanted(ObjectNames.dns(vertex.name()), state.name(), spec(vertex))));
        return draft(
                ConditionStatus.True, tree.vertices().isEmpty() ? Reason.NothingToTell : Reason.Written, message(tree));
    }

    private static @Nullable String nodeOf(FabricState state, int slot, Set<String> placedElsewhere) {
        DeviceFacts device = state.members().get(slot);
        return device == null || placedElsewhere.contains(device.nodeName()) ? null : device.nodeName();
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
                ? "none of its nodes has a place here: other Fabrics that go first have them, or nothing reaches them"
                : Messages.count(tree.vertices().size(), "HyperNode holds ", "HyperNodes hold ")
                        + Messages.count(nodes, "node", "nodes") + ": " + String.join(", ", tiers);
        return tree.unplaced().isEmpty()
                ? all
                : all + "; nothing reaches " + Messages.count(tree.unplaced().size(), "node", "nodes") + " ("
                        + Messages.some(tree.unplaced()) + ")";
    }

    private ConditionDraft draft(ConditionStatus status, Reason reason, String message) {
        return new ConditionDraft(condition(), status, reason, message);
    }

    private static Map<String, Object> spec(TierTree.Vertex vertex) {
        List<Map<String, Object>> members = Stream.concat(
                        vertex.below().stream().map(name -> member("HyperNode", ObjectNames.dns(name))),
                        vertex.hosts().stream().map(name -> member("Node", name)))
                .toList();
        return Map.of("tier", vertex.tier(), "tierName", vertex.tierName(), "members", members);
    }

    private static Map<String, Object> member(String type, String name) {
        return Map.of("type", type, "selector", Map.of("exactMatch", Map.of("name", name)));
    }
}
