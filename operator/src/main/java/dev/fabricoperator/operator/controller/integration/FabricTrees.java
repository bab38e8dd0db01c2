/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Purpose;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.tier.TierTree;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.FabricState;
import dev.fabricoperator.operator.model.FailedFabric;
import dev.fabricoperator.operator.model.Messages;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The tree of each compute Fabric that one system is told of.
 *
 * <p>A node is in one tree only: that of the first of its Fabrics, the one with the highest priority, then the lowest index.
 * Whether that one has a place for it right now does not matter, so that a node whose cable fails does not wander.
 *
 * @param trees in that order
 * @param unknown Fabrics that cannot be modelled and never could: what they have stays
 */
public record FabricTrees(List<FabricTree> trees, Set<String> unknown) {
    /** What is said of a Fabric whose tree is empty. */
    public static final String NOBODY =
            "none of its nodes has a place here: other Fabrics that go first have them, or nothing reaches them";

    private static final Logger LOG = Logger.getLogger(FabricTrees.class);
    private static final Comparator<FabricState> FIRST = Comparator.comparingInt((FabricState state) ->
                    -Objects.requireNonNullElse(state.facts().spec().priority(), 0))
            .thenComparingInt(FabricState::index);

    public FabricTrees {
        trees = List.copyOf(trees);
        unknown = Set.copyOf(unknown);
    }

    /**
     * One Fabric.
     *
     * @param tree {@code null} where no switch is known, or with a defect
     * @param defect of the operator, which none of the others has met; what the Fabric has stays
     */
    public record FabricTree(
            FabricState state,
            @Nullable TierTree tree,
            @Nullable RuntimeException defect) {

        /**
         * What is to be said of one without a tree.
         *
         * @param stays what that does to what the system has been told before
         */
        public ConditionDraft withoutTree(ConditionType condition, String stays) {
            return defect == null
                    ? new ConditionDraft(
                            condition,
                            ConditionStatus.False,
                            Reason.NothingToTell,
                            "no switch is known, so that no node is nearer to another than any; see "
                                    + ConditionType.TopologyKnown)
                    : new ConditionDraft(
                            condition,
                            ConditionStatus.Unknown,
                            Reason.ModelFailed,
                            "a defect of the operator, please report it with the lines of its log: " + defect + "; "
                                    + stays);
        }

        /** Which nodes nothing reaches, behind what is said of the others; empty without any. */
        public static String unplaced(TierTree tree) {
            return tree.unplaced().isEmpty()
                    ? ""
                    : "; nothing reaches " + Messages.count(tree.unplaced().size(), "node", "nodes") + " ("
                            + Messages.some(tree.unplaced()) + ")";
        }
    }

    /** @param system whose name a Fabric may have in its annotation to opt out */
    public static FabricTrees of(ClusterModel model, String system) {
        Set<String> unknown = new HashSet<>();
        List<FabricState> states = new ArrayList<>(model.fabrics().values());
        for (FailedFabric failed : model.failed().values()) {
            FabricState last = failed.last();
            if (last == null) {
                unknown.add(failed.name());
            } else {
                states.add(last);
            }
        }
        List<FabricTree> trees = new ArrayList<>();
        Set<String> placedElsewhere = new HashSet<>();
        states.stream()
                .filter(state -> isAsked(state.facts(), system))
                .sorted(FIRST)
                .forEach(state -> {
                    trees.add(tree(state, placedElsewhere));
                    if (state.model().kind() != FabricKind.Flat) {
                        state.members().values().forEach(device -> placedElsewhere.add(device.nodeName()));
                    }
                });
        return new FabricTrees(trees, unknown);
    }

    /** Without a walk over the trees. */
    @Override
    public int hashCode() {
        return trees.size();
    }

    private static boolean isAsked(FabricFacts fabric, String system) {
        Purpose purpose = fabric.spec().purpose();
        return !fabric.deleting()
                && !fabric.notIntegrated().contains(system)
                && (purpose == null || purpose == Purpose.Compute);
    }

    private static FabricTree tree(FabricState state, Set<String> placedElsewhere) {
        if (state.model().kind() == FabricKind.Flat) {
            return new FabricTree(state, null, null);
        }
        try {
            return new FabricTree(
                    state,
                    TierTree.of(state.model(), state.name(), slot -> nodeOf(state, slot, placedElsewhere)),
                    null);
        } catch (RuntimeException e) {
            // One Fabric that nobody can make a tree of must not keep the others from theirs.
            LOG.errorf(e, "no tree can be made of Fabric %s, and what is told of it stays", state.name());
            return new FabricTree(state, null, e);
        }
    }

    private static @Nullable String nodeOf(FabricState state, int slot, Set<String> placedElsewhere) {
        DeviceFacts device = state.members().get(slot);
        return device == null || placedElsewhere.contains(device.nodeName()) ? null : device.nodeName();
    }
}
