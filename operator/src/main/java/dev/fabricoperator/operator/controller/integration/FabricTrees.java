/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.crds.ConditionStatus;
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
import dev.fabricoperator.view.mapping.ObjectNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The tree of each compute Fabric that one system is told of.
 *
 * <p>A node is in one tree only: that of the first of its Fabrics, a network before what NVLink joins, then the one with the highest priority,
 * then the lowest index.
 * Whether that one has a place for it right now does not matter, so that a node whose cable fails does not wander.
 *
 * @param trees in that order
 * @param unknown Fabrics that the system is to be told of, cannot be modelled and never could: what they have stays
 */
public record FabricTrees(List<FabricTree> trees, Set<String> unknown) {
    /** What is said of a Fabric whose tree is empty. */
    public static final String NOBODY =
            "none of its nodes has a place here: other Fabrics that go first have them, or nothing reaches them";

    private static final Logger LOG = Logger.getLogger(FabricTrees.class);
    private static final Comparator<FabricState> FIRST =
            Comparator.comparing(FabricState::facts, FabricFacts.DEFAULT_FIRST).thenComparingInt(FabricState::index);

    public FabricTrees {
        trees = List.copyOf(trees);
        unknown = Set.copyOf(unknown);
    }

    /**
     * One Fabric.
     *
     * @param tree {@code null} where no switch is known, with a defect, or where a name is taken
     * @param ofAll the same with those of its nodes too that are in the tree of another Fabric; {@code null} where no switch is known
     *     and with a defect
     * @param defect of the operator, which none of the others has met; what the Fabric has stays
     * @param nameTaken which part of another Fabric has a name that a part of this one would have too: half a tree would hang
     *     on that Fabric's, and whoever reads labels would take both parts for one
     */
    public record FabricTree(
            FabricState state,
            @Nullable TierTree tree,
            @Nullable TierTree ofAll,
            @Nullable RuntimeException defect,
            @Nullable String nameTaken) {

        /**
         * What is to be said of one without a tree.
         *
         * @param stays what that does to what the system has been told before
         */
        public ConditionDraft withoutTree(ConditionType condition, String stays) {
            if (nameTaken != null) {
                return new ConditionDraft(
                        condition,
                        ConditionStatus.False,
                        Reason.NameTaken,
                        nameTaken
                                + ", which goes first, and the name of a part of this one too: nothing is told of this"
                                + " one until one of the two Fabrics has another name");
            }
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

    /** Names of the Fabrics that a system is to be told of. */
    static Set<String> asked(ClusterModel model, String system) {
        Set<String> asked = new HashSet<>();
        for (FabricState state : model.fabrics().values()) {
            if (isAsked(state.facts(), system)) {
                asked.add(state.name());
            }
        }
        for (FailedFabric failed : model.failed().values()) {
            if (isAsked(failed.facts(), system)) {
                asked.add(failed.name());
            }
        }
        return asked;
    }

    /** @param asked names of Fabrics */
    static FabricTrees of(ClusterModel model, Set<String> asked) {
        Set<String> unknown = new HashSet<>();
        for (FailedFabric failed : model.failed().values()) {
            if (failed.last() == null && asked.contains(failed.name())) {
                unknown.add(failed.name());
            }
        }
        List<FabricTree> trees = new ArrayList<>();
        Set<String> placedElsewhere = new HashSet<>();
        Map<String, String> fabricOfPart = new HashMap<>();
        states(model).stream()
                .filter(state -> asked.contains(state.name()))
                .sorted(FIRST)
                .forEach(state -> {
                    trees.add(withOwnNames(tree(state, placedElsewhere), fabricOfPart));
                    if (state.model().kind() != FabricKind.Flat) {
                        state.members().values().forEach(device -> placedElsewhere.add(device.nodeName()));
                    }
                });
        return new FabricTrees(trees, unknown);
    }

    private static List<FabricState> states(ClusterModel model) {
        List<FabricState> states = new ArrayList<>(model.fabrics().values());
        for (FailedFabric failed : model.failed().values()) {
            FabricState last = failed.last();
            if (last != null) {
                states.add(last);
            }
        }
        return states;
    }

    private static FabricTree withOwnNames(FabricTree fabric, Map<String, String> fabricOfPart) {
        TierTree tree = fabric.tree();
        if (tree == null) {
            return fabric;
        }
        for (TierTree.Vertex part : tree.vertices()) {
            String another = fabricOfPart.get(ObjectNames.label(part.name()));
            if (another != null) {
                return new FabricTree(
                        fabric.state(),
                        null,
                        fabric.ofAll(),
                        null,
                        part.name() + " is the name of a part of Fabric " + another);
            }
        }
        tree.vertices()
                .forEach(part -> fabricOfPart.put(
                        ObjectNames.label(part.name()), fabric.state().name()));
        return fabric;
    }

    /** Without a walk over the trees. */
    @Override
    public int hashCode() {
        return trees.size();
    }

    private static boolean isAsked(FabricFacts fabric, String system) {
        return !fabric.deleting() && !fabric.notIntegrated().contains(system) && fabric.isForCompute();
    }

    private static FabricTree tree(FabricState state, Set<String> placedElsewhere) {
        if (state.model().kind() == FabricKind.Flat) {
            return new FabricTree(state, null, null, null, null);
        }
        try {
            TierTree ofAll = TierTree.of(state.model(), state.name(), slot -> nodeOf(state, slot, Set.of()));
            boolean isShared =
                    state.members().values().stream().anyMatch(device -> placedElsewhere.contains(device.nodeName()));
            TierTree tree = isShared
                    ? TierTree.of(state.model(), state.name(), slot -> nodeOf(state, slot, placedElsewhere))
                    : ofAll;
            return new FabricTree(state, tree, ofAll, null, null);
        } catch (RuntimeException e) {
            // One Fabric that nobody can make a tree of must not keep the others from theirs.
            LOG.errorf(e, "no tree can be made of Fabric %s, and what is told of it stays", state.name());
            return new FabricTree(state, null, null, e, null);
        }
    }

    private static @Nullable String nodeOf(FabricState state, int slot, Set<String> placedElsewhere) {
        DeviceFacts device = state.members().get(slot);
        return device == null || placedElsewhere.contains(device.nodeName()) ? null : device.nodeName();
    }
}
