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
import dev.fabricoperator.operator.cluster.Fact;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.cluster.Failures;
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
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
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
import org.jboss.logging.Logger;
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
    private static final Logger LOG = Logger.getLogger(NodeWriter.class);
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
    private final Duration refusedInterval;
    private final int concurrency;
    private final Map<String, Refusal> refusals = new ConcurrentHashMap<>();
    private final Contests contests;
    /** Versions that the watch has not shown yet. */
    private final Map<String, Long> written = new ConcurrentHashMap<>();

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

    private record Change(
            NodeFacts node,
            SortedMap<String, @Nullable String> values,
            @Nullable Object wanted) {}

    /**
     * Nodes that are not what they should be after this step.
     *
     * @param contested somebody else writes their values again and again
     * @param unwritten nobody knows yet
     */
    private record Unlike(Set<String> contested, Set<String> unwritten) {}

    private record Refusal(String uid, SortedMap<String, @Nullable String> values, long nanos, String message) {}

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
        this.refusedInterval = operator.writes().refusedInterval();
        this.contests = new Contests(refusedInterval);
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
        Set<String> names = HashSet.newHashSet(nodes.size());
        List<Change> changes = new ArrayList<>();
        Unlike unlike = new Unlike(new HashSet<>(), ConcurrentHashMap.newKeySet());
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
            } else if (isLeft(contests.left(node.name(), now.valuesOf(node.name())))) {
                unlike.contested().add(node.name());
            } else if (!isRefused(node, difference)) {
                changes.add(new Change(node, difference, now.valuesOf(node.name())));
            }
        }
        refusals.keySet().retainAll(names);
        written.keySet().retainAll(names);
        contests.begin(names);
        failures().begin(names);
        write(changes, unlike);
        tell(model, now, nodes, unlike);
        failures().end();
    }

    private boolean isRefused(NodeFacts node, SortedMap<String, @Nullable String> values) {
        Refusal before = refusals.get(node.name());
        return before != null
                && before.uid().equals(node.uid())
                && before.values().equals(values)
                && System.nanoTime() - before.nanos() < refusedInterval.toNanos();
    }

    private void write(List<Change> changes, Unlike unlike) throws InterruptedException {
        if (changes.isEmpty()) {
            return;
        }
        changes.sort(Comparator.comparing(
                change -> failures().hasFailed(change.node().name())));
        Queue<Change> left = new ConcurrentLinkedQueue<>(changes);
        Queue<String> refused = new ConcurrentLinkedQueue<>();
        Callable<Void> writer = () -> {
            for (Change next = left.poll(); next != null; next = left.poll()) {
                String node = next.node().name();
                if (!failures().isEnough()) {
                    write(next, refused);
                }
                if (failures().isEnough() || failures().hasFailed(node)) {
                    unlike.unwritten().add(node);
                }
            }
            return null;
        };
        try (ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
            writers.invokeAll(Collections.nCopies(Math.min(concurrency, changes.size()), writer));
        }
        if (!refused.isEmpty()) {
            LOG.errorf(
                    "%s of %s are refused, the first is %s",
                    field, Messages.count(refused.size(), "Node", "Nodes"), refused.peek());
        }
    }

    private void write(Change change, Queue<String> refused) {
        NodeFacts node = change.node();
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = patch.putObject("metadata").put("uid", node.uid());
        ObjectNode values = metadata.putObject(field.name());
        change.values().forEach(values::put);
        // Of a Node by its name alone fabric8 would read the Node first, and need the right to.
        Node named = new NodeBuilder()
                .withNewMetadata()
                .withName(node.name())
                .endMetadata()
                .build();
        try {
            Node answer = client.resource(named).patch(MERGE, patch.toString());
            refusals.remove(node.name());
            failures().passed(node.name());
            contests.corrected(node.name(), change.wanted());
            written.put(node.name(), Fact.number(answer.getMetadata().getResourceVersion()));
            count(Outcome.ok);
        } catch (KubernetesClientException e) {
            if (Failures.pass(e)) {
                count(Outcome.again);
                failures().failed(node.name(), e);
                return;
            }
            failures().passed(node.name());
            if (Failures.isAbsent(e)) {
                count(Outcome.gone);
                return;
            }
            count(Outcome.refused);
            String message = node.name() + ": " + e.getMessage();
            refused.add(message);
            refusals.put(node.name(), new Refusal(node.uid(), change.values(), System.nanoTime(), message));
        }
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
            Refusal refusal = refusals.get(node.name());
            String failing = failures().message(node.name());
            boolean isContested = unlike.contested().contains(node.name());
            boolean isUnwritten = unlike.unwritten().contains(node.name());
            objects += refusal == null && failing == null && !isContested && !isUnwritten ? 1 : 0;
            for (String fabric : fabrics) {
                if (refusal != null) {
                    refusedOf.computeIfAbsent(fabric, f -> new TreeSet<>()).add(refusal.message());
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
        refusals.clear();
        contests.clear();
        written.clear();
    }
}
