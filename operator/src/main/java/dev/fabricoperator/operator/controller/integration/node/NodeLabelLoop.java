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
import dev.fabricoperator.operator.controller.integration.ModelTrees;
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
    /** How often the same labels of a Node are put right without a pause. */
    private static final int CORRECTED_AT_ONCE = 2;

    private static final Duration CONTESTED = Duration.ofSeconds(1);

    private final KubernetesClient client;
    private final FactStores stores;
    private final ModelTrees trees;
    private final NodeLabelSettings settings;
    private final Duration interval;
    private final Duration refusedInterval;
    private final int concurrency;
    private final Map<String, Refusal> refusals = new ConcurrentHashMap<>();
    private final Map<String, Correction> corrections = new ConcurrentHashMap<>();
    /** Versions that the watch has not shown yet. */
    private final Map<String, Long> written = new ConcurrentHashMap<>();

    private @Nullable ClusterModel modelOfWanted;
    private NodeLabels wanted = NodeLabels.NONE;
    private @Nullable Boolean kueue;
    private int looksWithoutKueue;
    private @Nullable Long lookedNanos;

    private record Change(NodeFacts node, SortedMap<String, @Nullable String> labels) {}

    /** @param times that the same labels of a Node were written, each soon after the one before */
    private record Correction(SortedMap<String, @Nullable String> labels, long nanos, int times) {}

    /**
     * Nodes whose labels are not what they should be after this step.
     *
     * @param contested somebody else writes their labels again and again
     * @param unwritten nobody knows yet
     */
    private record Unlike(Set<String> contested, Set<String> unwritten) {}

    private record Refusal(String uid, SortedMap<String, @Nullable String> labels, long nanos, String message) {}

    NodeLabelLoop(
            KubernetesClient client,
            FactStores stores,
            ModelTrees trees,
            MeterRegistry meters,
            Settings operator,
            IntegrationSettings integrations,
            NodeLabelSettings settings) {
        super(NodeLabels.SYSTEM, ConditionType.NodeLabelsCurrent, meters, integrations.interval(), GATHERING);
        this.client = client;
        this.stores = stores;
        this.trees = trees;
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
            wanted = NodeLabels.of(trees.of(model, SYSTEM), settings.topograph());
            modelOfWanted = model;
        }
        return wanted;
    }

    private void bring(ClusterModel model, boolean isWanted) throws InterruptedException {
        NodeLabels now = wanted(model, isWanted);
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
            } else if (isContested(node, difference)) {
                unlike.contested().add(node.name());
            } else if (!isRefused(node, difference)) {
                changes.add(new Change(node, difference));
            }
        }
        refusals.keySet().retainAll(names);
        written.keySet().retainAll(names);
        corrections.values().removeIf(one -> System.nanoTime() - one.nanos() > 2 * refusedInterval.toNanos());
        failures().begin(names);
        write(changes, unlike);
        tell(model, now, nodes, unlike);
        failures().end();
    }

    /** Whether somebody else writes a Node's labels again and again: they are written less and less often then. */
    private boolean isContested(NodeFacts node, SortedMap<String, @Nullable String> labels) {
        Correction before = corrections.get(node.name());
        if (before == null
                || before.times() < CORRECTED_AT_ONCE
                || !before.labels().equals(labels)) {
            return false;
        }
        Duration pause = CONTESTED.multipliedBy(1L << Math.min(before.times() - CORRECTED_AT_ONCE, 20));
        Duration wait = pause.compareTo(refusedInterval) < 0 ? pause : refusedInterval;
        Duration left = wait.minusNanos(System.nanoTime() - before.nanos());
        if (left.isPositive()) {
            lookAgainAfter(left);
        }
        return left.isPositive();
    }

    private void corrected(Change change) {
        corrections.compute(change.node().name(), (node, before) -> {
            boolean again = before != null && before.labels().equals(change.labels());
            return new Correction(change.labels(), System.nanoTime(), again ? before.times() + 1 : 1);
        });
    }

    private boolean isRefused(NodeFacts node, SortedMap<String, @Nullable String> labels) {
        Refusal before = refusals.get(node.name());
        return before != null
                && before.uid().equals(node.uid())
                && before.labels().equals(labels)
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
                    "labels of %s are refused, the first is %s",
                    Messages.count(refused.size(), "Node", "Nodes"), refused.peek());
        }
    }

    private void write(Change change, Queue<String> refused) {
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
            failures().passed(node.name());
            corrected(change);
            written.put(node.name(), Fact.number(answer.getMetadata().getResourceVersion()));
            count(Outcome.ok);
        } catch (KubernetesClientException e) {
            if (Failures.pass(e)) {
                count(Outcome.again);
                failures().failed(node.name(), e);
                return;
            }
            failures().passed(node.name());
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                count(Outcome.gone);
                return;
            }
            count(Outcome.refused);
            String message = node.name() + ": " + e.getMessage();
            refused.add(message);
            refusals.put(node.name(), new Refusal(node.uid(), change.labels(), System.nanoTime(), message));
        }
    }

    private void tell(ClusterModel model, NodeLabels now, List<NodeFacts> nodes, Unlike unlike) {
        Map<String, Integer> counts = new HashMap<>();
        Map<String, Integer> shared = new HashMap<>();
        Map<String, TreeSet<String>> refusedOf = new HashMap<>();
        Map<String, TreeSet<String>> contested = new HashMap<>();
        Set<String> unwritten = new HashSet<>();
        for (NodeFacts node : nodes) {
            String fabric = now.fabricOfNode().get(node.name());
            Refusal refusal = refusals.get(node.name());
            if (fabric == null) {
                continue;
            }
            String refused = refusal == null ? failures().message(node.name()) : refusal.message();
            if (refused != null) {
                refusedOf.computeIfAbsent(fabric, f -> new TreeSet<>()).add(refused);
            } else if (unlike.contested().contains(node.name())) {
                contested.computeIfAbsent(fabric, f -> new TreeSet<>()).add(node.name());
            } else if (unlike.unwritten().contains(node.name())) {
                unwritten.add(fabric);
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
            ConditionDraft last = told().last(name);
            if (unwritten.contains(name) && !refusedOf.containsKey(name)) {
                // What was said before holds until it is known what became of them.
                if (last != null) {
                    drafts.put(name, last);
                }
                continue;
            }
            drafts.put(
                    name,
                    draft(
                            fabric,
                            counts.getOrDefault(name, 0),
                            shared.getOrDefault(name, 0),
                            refusedOf.getOrDefault(name, new TreeSet<>()),
                            contested.getOrDefault(name, new TreeSet<>())));
        }
        setObjects(counts.values().stream().mapToInt(Integer::intValue).sum());
        told().tell(model, drafts);
    }

    private ConditionDraft draft(
            FabricTree fabric, int count, int shared, TreeSet<String> refused, TreeSet<String> contested) {
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
        if (!contested.isEmpty()) {
            others += "; somebody else writes the labels of " + Messages.count(contested.size(), "node", "nodes") + " ("
                    + Messages.some(List.copyOf(contested)) + ") again and again";
        }
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
        corrections.clear();
        written.clear();
    }
}
