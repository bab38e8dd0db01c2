/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration.node;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.mapping.PlaceLabels;
import dev.fabricoperator.fabric.tier.TierTree;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.Fact;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.Failures;
import dev.fabricoperator.operator.cluster.NodeFacts;
import dev.fabricoperator.operator.controller.integration.FabricTrees;
import dev.fabricoperator.operator.controller.integration.FabricTrees.FabricTree;
import dev.fabricoperator.operator.controller.integration.IntegrationSettings;
import dev.fabricoperator.operator.controller.integration.IntegrationWriter;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.Messages;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Brings the labels of Nodes to what the newest model wants, and back to it when somebody changes them.
 *
 * <p>Only labels that differ are written, several Nodes at one time, by merge patches with the Node's UID: a patch never makes
 * a Node, and one that was made anew meanwhile is looked at first.
 */
@Singleton
public final class NodeLabelLoop extends IntegrationWriter {
    /** What a Fabric's annotation calls it. */
    public static final String SYSTEM = NodeLabels.SYSTEM;

    private static final Logger LOG = Logger.getLogger(NodeLabelLoop.class);
    private static final PatchContext MERGE = new PatchContext.Builder()
            .withPatchType(PatchType.JSON_MERGE)
            .withFieldManager(FabricApi.OPERATOR_FIELD_MANAGER)
            .build();
    private static final String KUEUE_GROUP = "kueue.x-k8s.io/";
    private static final List<String> KUEUE_VERSIONS = List.of("v1beta2", "v1beta1");
    /** Until what comes together with the first news is there. */
    private static final Duration GATHERING = Duration.ofMillis(200);
    /** Statuses go first: they have all of what the settings allow. */
    private static final int SHARE_OF_WRITES = 4;

    private final KubernetesClient client;
    private final FactStores stores;
    private final NodeLabelSettings settings;
    private final Duration interval;
    private final Duration refusedInterval;
    private final int concurrency;
    private final Map<String, Refusal> refusals = new ConcurrentHashMap<>();
    /** Versions that the watch has not shown yet. */
    private final Map<String, Long> written = new ConcurrentHashMap<>();

    private @Nullable ClusterModel modelOfWanted;
    private NodeLabels wanted = NodeLabels.NONE;
    private @Nullable Boolean kueue;
    private int looksWithoutKueue;
    private @Nullable Long lookedNanos;

    private record Change(NodeFacts node, SortedMap<String, @Nullable String> labels) {}

    private record Refusal(String uid, SortedMap<String, @Nullable String> labels, long nanos, String message) {}

    NodeLabelLoop(
            KubernetesClient client,
            FactStores stores,
            MeterRegistry meters,
            Settings operator,
            IntegrationSettings integrations,
            NodeLabelSettings settings) {
        super(NodeLabels.SYSTEM, ConditionType.NodeLabelsCurrent, meters, integrations.interval(), GATHERING);
        this.client = client;
        this.stores = stores;
        this.settings = settings;
        this.interval = integrations.interval();
        this.refusedInterval = operator.writes().refusedInterval();
        this.concurrency = Math.max(1, operator.writes().concurrency() / SHARE_OF_WRITES);
        stores.listenForPlaces(this::wake);
    }

    @Override
    protected void bring(ClusterModel model) throws InterruptedException {
        Boolean isWanted = switch (settings.enabled()) {
            case TRUE -> true;
            case FALSE -> false;
            case AUTO -> isKueueThere();
        };
        if (isWanted != null) {
            bring(model, isWanted);
        }
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

    private NodeLabels wanted(ClusterModel model, boolean isWanted) {
        if (!isWanted) {
            modelOfWanted = null;
            return NodeLabels.NONE;
        }
        if (modelOfWanted != model) {
            wanted = NodeLabels.of(model, settings.topograph());
            modelOfWanted = model;
        }
        return wanted;
    }

    private void bring(ClusterModel model, boolean isWanted) throws InterruptedException {
        NodeLabels now = wanted(model, isWanted);
        List<NodeFacts> nodes = stores.nodes().facts();
        Set<String> names = HashSet.newHashSet(nodes.size());
        List<Change> changes = new ArrayList<>();
        for (NodeFacts node : nodes) {
            names.add(node.name());
            if (node.version() < written.getOrDefault(node.name(), 0L)) {
                // What was written comes soon, and is news then.
                continue;
            }
            written.remove(node.name());
            SortedMap<String, @Nullable String> difference = now.difference(node);
            if (difference.isEmpty()) {
                refusals.remove(node.name());
            } else if (!isRefused(node, difference)) {
                changes.add(new Change(node, difference));
            }
        }
        refusals.keySet().retainAll(names);
        written.keySet().retainAll(names);
        write(changes);
        tell(model, now, nodes);
    }

    private boolean isRefused(NodeFacts node, SortedMap<String, @Nullable String> labels) {
        Refusal before = refusals.get(node.name());
        return before != null
                && before.uid().equals(node.uid())
                && before.labels().equals(labels)
                && System.nanoTime() - before.nanos() < refusedInterval.toNanos();
    }

    private void write(List<Change> changes) throws InterruptedException {
        if (changes.isEmpty()) {
            return;
        }
        Queue<Change> left = new ConcurrentLinkedQueue<>(changes);
        AtomicReference<@Nullable KubernetesClientException> problem = new AtomicReference<>();
        Callable<Void> writer = () -> {
            for (Change next = left.poll(); next != null; next = left.poll()) {
                try {
                    write(next);
                } catch (KubernetesClientException e) {
                    problem.set(e);
                    left.clear();
                }
            }
            return null;
        };
        try (ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
            writers.invokeAll(Collections.nCopies(Math.min(concurrency, changes.size()), writer));
        }
        KubernetesClientException first = problem.get();
        if (first != null) {
            throw first;
        }
    }

    private void write(Change change) {
        NodeFacts node = change.node();
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = patch.putObject("metadata").put("uid", node.uid());
        ObjectNode labels = metadata.putObject("labels");
        change.labels().forEach(labels::put);
        // Of a Node by its name alone fabric8 would read the Node first, and need the right to.
        Node named = new NodeBuilder()
                .withNewMetadata()
                .withName(node.name())
                .endMetadata()
                .build();
        try {
            Node answer = client.resource(named).patch(MERGE, patch.toString());
            refusals.remove(node.name());
            written.put(node.name(), Fact.number(answer.getMetadata().getResourceVersion()));
            count(Outcome.ok);
        } catch (KubernetesClientException e) {
            if (Failures.pass(e)) {
                count(Outcome.again);
                throw e;
            }
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                count(Outcome.gone);
                return;
            }
            count(Outcome.refused);
            LOG.errorf("labels of Node %s are refused: %s", node.name(), e.getMessage());
            refusals.put(
                    node.name(),
                    new Refusal(node.uid(), change.labels(), System.nanoTime(), node.name() + ": " + e.getMessage()));
        }
    }

    private void tell(ClusterModel model, NodeLabels now, List<NodeFacts> nodes) {
        Map<String, Integer> counts = new HashMap<>();
        Map<String, Integer> shared = new HashMap<>();
        Map<String, TreeSet<String>> refused = new HashMap<>();
        for (NodeFacts node : nodes) {
            String fabric = now.fabricOfNode().get(node.name());
            Refusal refusal = refusals.get(node.name());
            if (fabric == null) {
                continue;
            }
            if (refusal != null) {
                refused.computeIfAbsent(fabric, f -> new TreeSet<>()).add(refusal.message());
            } else {
                counts.merge(fabric, 1, Integer::sum);
            }
            if (now.meetsAnothers(node)) {
                shared.merge(fabric, 1, Integer::sum);
            }
        }
        SortedMap<String, ConditionDraft> drafts = new TreeMap<>();
        for (FabricTree fabric : now.trees()) {
            String name = fabric.state().name();
            drafts.put(
                    name,
                    draft(
                            fabric,
                            counts.getOrDefault(name, 0),
                            shared.getOrDefault(name, 0),
                            refused.getOrDefault(name, new TreeSet<>())));
        }
        setObjects(counts.values().stream().mapToInt(Integer::intValue).sum());
        told().tell(model, drafts);
    }

    private ConditionDraft draft(FabricTree fabric, int count, int shared, TreeSet<String> refused) {
        TierTree tree = fabric.tree();
        if (tree == null) {
            return fabric.withoutTree(condition(), "the labels of its nodes stay as they are");
        }
        if (!refused.isEmpty()) {
            return new ConditionDraft(
                    condition(),
                    ConditionStatus.False,
                    Reason.WritesRefused,
                    "the API server refuses the labels of " + Messages.count(refused.size(), "Node", "Nodes")
                            + "; mend the policy, webhook or right that refuses: the first is " + refused.first());
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

    @Override
    public void close() {
        refusals.clear();
        written.clear();
    }
}
