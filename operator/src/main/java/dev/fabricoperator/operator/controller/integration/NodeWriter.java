/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.NodeFacts;
import dev.fabricoperator.operator.controller.integration.FabricTrees.FabricTree;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.Messages;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Brings labels or annotations of Nodes to what the newest model wants, and back to it when somebody changes them.
 *
 * <p>Only what differs is written, several Nodes at one time, by merge patches with the Node's UID: a patch never makes
 * a Node, and one that was made anew meanwhile is looked at first.
 *
 * @param <W> what is wanted
 */
public abstract class NodeWriter<W extends NodeWriter.WantedOfNodes> extends IntegrationWriter {
    private static final PatchContext MERGE = new PatchContext.Builder()
            .withPatchType(PatchType.JSON_MERGE)
            .withFieldManager(FabricApi.OPERATOR_FIELD_MANAGER)
            .build();
    /** Until what comes together with the first news is there. */
    private static final Duration GATHERING = Duration.ofMillis(200);
    /** Statuses go first: they have all of what the settings allow. */
    private static final int SHARE_OF_WRITES = 4;

    private final KubernetesClient client;
    private final FactStores stores;
    private final Written field;
    private final int concurrency;
    private final Applier applier;

    /** Which map of a Node's metadata is written. */
    protected enum Written {
        labels,
        annotations
    }

    /** What Nodes should have, by the model alone. */
    public interface WantedOfNodes {
        /** What is to be changed at a Node: values by key, {@code null} for one that goes. */
        SortedMap<String, @Nullable String> difference(NodeFacts node);

        /** All values that a Node should have; {@code null} for none. */
        @Nullable
        Object valuesOf(String node);

        /** The Fabrics that a Node's values speak of; empty for a Node without a place. */
        Collection<String> fabricsOf(String node);

        /** Whether somebody else has written what this one wants to write too. */
        boolean meetsAnothers(NodeFacts node);

        /** What the values are made from. */
        List<FabricTree> trees();
    }

    /** What a Node of this UID is to be changed by. */
    private record Change(String uid, SortedMap<String, @Nullable String> values) {}

    /**
     * Nodes that are not what they should be after this step.
     *
     * @param contested somebody else writes their values again and again
     * @param unwritten nobody knows yet
     */
    private record Unlike(Set<String> contested, Set<String> unwritten) {}

    protected NodeWriter(
            String name,
            ConditionType condition,
            Written field,
            KubernetesClient client,
            FactStores stores,
            MeterRegistry meters,
            Settings operator,
            IntegrationSettings integrations) {
        super(name, condition, meters, integrations.interval(), GATHERING);
        this.client = client;
        this.stores = stores;
        this.field = field;
        this.applier = new Applier(field.name(), "Node", operator.writes().refusedInterval(), this::count);
        this.concurrency = Math.max(1, operator.writes().concurrency() / SHARE_OF_WRITES);
        stores.listenForPlaces(this::wake);
    }

    /** What a model wants; {@code null} while that is not certain, and nothing is changed. */
    protected abstract @Nullable W wanted(ClusterModel model);

    /**
     * What is to be said of a Fabric where nothing was refused.
     *
     * @param count nodes that have what they should
     * @param shared nodes of which something is another's
     */
    protected abstract ConditionDraft draft(FabricTree fabric, int count, int shared);

    @Override
    protected void bring(ClusterModel model) throws InterruptedException {
        W now = wanted(model);
        if (now == null) {
            return;
        }
        List<NodeFacts> nodes = stores.nodes().facts();
        applier.begin(nodes.stream().map(NodeFacts::name).collect(Collectors.toSet()));
        List<Applier.Write> writes = new ArrayList<>();
        Set<String> contested = new HashSet<>();
        for (NodeFacts node : nodes) {
            if (!applier.isShown(node.name(), node)) {
                // What was written comes soon, and is news then.
                continue;
            }
            Change change = new Change(node.uid(), now.difference(node));
            if (change.values().isEmpty()) {
                applier.forgetRefusal(node.name());
                continue;
            }
            Object wanted = now.valuesOf(node.name());
            if (isLeft(applier.contested(node.name(), wanted))) {
                contested.add(node.name());
            } else if (!applier.isRefused(node.name(), change)) {
                writes.add(new Applier.Write(node.name(), change, wanted, false, () -> patch(node.name(), change)));
            }
        }
        tell(model, now, nodes, new Unlike(contested, applier.apply(writes, concurrency)));
        applier.end();
    }

    private Node patch(String name, Change change) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = patch.putObject("metadata").put("uid", change.uid());
        ObjectNode values = metadata.putObject(field.name());
        change.values().forEach(values::put);
        // Of a Node by its name alone fabric8 would read the Node first, and need the right to.
        Node named =
                new NodeBuilder().withNewMetadata().withName(name).endMetadata().build();
        return client.resource(named).patch(MERGE, patch.toString());
    }

    private void tell(ClusterModel model, W now, List<NodeFacts> nodes, Unlike unlike) {
        Map<String, Integer> counts = new HashMap<>();
        Map<String, Integer> shared = new HashMap<>();
        Map<String, TreeSet<String>> refusedOf = new HashMap<>();
        Map<String, TreeSet<String>> failingOf = new HashMap<>();
        Map<String, TreeSet<String>> contested = new HashMap<>();
        Set<String> unwritten = new HashSet<>();
        int objects = 0;
        for (NodeFacts node : nodes) {
            Collection<String> fabrics = now.fabricsOf(node.name());
            if (fabrics.isEmpty()) {
                continue;
            }
            Applier.Refusal refusal = applier.refusal(node.name());
            String failing = applier.failure(node.name());
            boolean isContested = unlike.contested().contains(node.name());
            boolean isUnwritten = unlike.unwritten().contains(node.name());
            objects += refusal == null && failing == null && !isContested && !isUnwritten ? 1 : 0;
            for (String fabric : fabrics) {
                if (refusal != null) {
                    refusedOf.computeIfAbsent(fabric, f -> new TreeSet<>()).add(node.name() + ": " + refusal.problem());
                } else if (failing != null) {
                    failingOf.computeIfAbsent(fabric, f -> new TreeSet<>()).add(failing);
                } else if (isContested) {
                    contested.computeIfAbsent(fabric, f -> new TreeSet<>()).add(node.name());
                } else if (isUnwritten) {
                    unwritten.add(fabric);
                } else {
                    counts.merge(fabric, 1, Integer::sum);
                }
                if (now.meetsAnothers(node)) {
                    shared.merge(fabric, 1, Integer::sum);
                }
            }
        }
        SortedMap<String, ConditionDraft> drafts = new TreeMap<>();
        for (FabricTree fabric : now.trees()) {
            String name = fabric.state().name();
            TreeSet<String> refused = refusedOf.getOrDefault(name, new TreeSet<>());
            TreeSet<String> failing = failingOf.getOrDefault(name, new TreeSet<>());
            if (!refused.isEmpty()) {
                drafts.put(name, refused(refused));
            } else if (!failing.isEmpty()) {
                drafts.put(
                        name,
                        failing(
                                "the " + field + " of " + Messages.count(failing.size(), "Node", "Nodes"),
                                failing.first()));
            } else if (!unwritten.contains(name)) {
                ConditionDraft draft = draft(fabric, counts.getOrDefault(name, 0), shared.getOrDefault(name, 0));
                drafts.put(
                        name,
                        contested(
                                draft, "the " + field + " of ", "node", contested.getOrDefault(name, new TreeSet<>())));
            } else if (conditions().last(name) instanceof ConditionDraft last) {
                // What was said before holds until it is known what became of them.
                drafts.put(name, last);
            }
        }
        setObjects(objects);
        conditions().set(model, drafts);
    }

    private ConditionDraft refused(TreeSet<String> refused) {
        return new ConditionDraft(
                condition(),
                ConditionStatus.False,
                Reason.WritesRefused,
                "the API server refuses the " + field + " of " + Messages.count(refused.size(), "Node", "Nodes")
                        + "; mend the policy, webhook or right that refuses: the first is " + refused.first());
    }

    @Override
    public void close() {
        applier.clear();
    }
}
