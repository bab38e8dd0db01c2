/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.crds.mapping.ObjectNames;
import dev.fabricoperator.operator.cluster.Fact;
import dev.fabricoperator.operator.cluster.FactStore;
import dev.fabricoperator.operator.cluster.Failures;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.controller.integration.WantedObjects.Wanted;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.Messages;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Brings the objects of one integration to what the newest model wants, and back to it when somebody changes them.
 *
 * <p>Only what differs is written. An object without the operator's source label is another's: it is neither changed nor
 * deleted, also where its name is wanted. While the API server does not know the kind nothing is done.
 */
final class IntegrationLoop extends IntegrationWriter {
    private static final Logger LOG = Logger.getLogger(IntegrationLoop.class);
    private static final PatchContext APPLY = ServerSideApply.by(FabricApi.OPERATOR_FIELD_MANAGER);
    private static final Duration STORE_LIMIT = Duration.ofSeconds(10);
    private static final Duration LIST_LIMIT = Duration.ofSeconds(30);
    private static final Duration STEP = Duration.ofMillis(20);

    private final Integration integration;
    private final ResourceDefinitionContext kind;
    private final KubernetesClient client;
    private final Informers informers;
    private final Duration interval;
    private final Duration refusedInterval;
    private final Map<String, Refusal> refusals = new HashMap<>();
    private @Nullable ClusterModel modelOfWanted;
    private WantedObjects wanted = WantedObjects.NONE;
    private @Nullable Watched watched;
    private long lookedNanos;

    private record Watched(
            SharedIndexInformer<GenericKubernetesResource> informer,
            FactStore<GenericKubernetesResource, IntegratedObject> store) {}

    private record Refusal(Wanted wanted, long nanos, String message) {}

    IntegrationLoop(
            Integration integration,
            KubernetesClient client,
            Informers informers,
            MeterRegistry meters,
            Duration interval,
            Duration refusedInterval) {
        super(integration.name(), integration.condition(), meters, interval, Duration.ZERO);
        this.integration = integration;
        this.kind = integration.kind();
        this.client = client;
        this.informers = informers;
        this.interval = interval;
        this.refusedInterval = refusedInterval;
    }

    @Override
    protected void bring(ClusterModel model) throws InterruptedException {
        Watched open = open(model);
        if (open != null) {
            bring(model, open);
        }
    }

    private @Nullable Watched open(ClusterModel model) throws InterruptedException {
        Watched open = watched;
        if (open != null && System.nanoTime() - lookedNanos < interval.toNanos()) {
            return open;
        }
        if (!client.supports(kind.getGroup() + "/" + kind.getVersion(), kind.getKind())) {
            if (open != null) {
                LOG.infof("%s: the API server no longer knows %s", integration.name(), kind.getKind());
                close();
            }
            told().tell(model, new TreeMap<>());
            return null;
        }
        lookedNanos = System.nanoTime();
        if (open == null) {
            open = mayBeRead(model) ? watch() : null;
            watched = open;
        }
        return open;
    }

    /** An informer that may not list would be silent about it. */
    private boolean mayBeRead(ClusterModel model) {
        try {
            objects().list(new ListOptionsBuilder().withLimit(1L).build());
            return true;
        } catch (KubernetesClientException e) {
            if (Failures.pass(e)) {
                throw e;
            }
            LOG.warnf("%s: %s cannot be read: %s", integration.name(), kind.getKind(), e.getMessage());
            SortedMap<String, ConditionDraft> problems = new TreeMap<>();
            if (integration.isEnabled()) {
                wanted(model).told().keySet().forEach(fabric -> problems.put(fabric, refused(e.getMessage())));
            }
            told().tell(model, problems);
            return false;
        }
    }

    private Watched watch() throws InterruptedException {
        FactStore<GenericKubernetesResource, IntegratedObject> store = new FactStore<>(
                object -> IntegratedObject.of(object, integration.sourceLabel()), GenericKubernetesResource::new);
        store.listen((before, after) -> wake());
        SharedIndexInformer<GenericKubernetesResource> informer =
                informers.make(objects()).itemStore(store);
        try {
            informer.start().toCompletableFuture().get(LIST_LIMIT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            informer.stop();
            throw new KubernetesClientException(kind.getKind() + " cannot be listed", e);
        }
        LOG.infof("%s: the API server knows %s", integration.name(), kind.getKind());
        return new Watched(informer, store);
    }

    @Override
    public void close() {
        Watched open = watched;
        watched = null;
        refusals.clear();
        setObjects(0);
        if (open != null) {
            open.informer().stop();
        }
    }

    private WantedObjects wanted(ClusterModel model) {
        if (modelOfWanted != model) {
            wanted = integration.isEnabled() ? integration.wanted(model) : WantedObjects.NONE;
            modelOfWanted = model;
        }
        return wanted;
    }

    private void bring(ClusterModel model, Watched open) throws InterruptedException {
        WantedObjects now = wanted(model);
        Map<String, Wanted> byName =
                LinkedHashMap.newLinkedHashMap(now.objects().size());
        now.objects().forEach(object -> byName.put(object.name(), object));
        refusals.keySet().retainAll(byName.keySet());
        Set<String> kept = new HashSet<>();
        now.kept().forEach(fabric -> kept.add(ObjectNames.label(fabric)));

        Map<String, Long> written = new HashMap<>();
        List<IntegratedObject> deleted = new ArrayList<>();
        Map<String, String> taken = new TreeMap<>();
        Map<String, String> fixed = new TreeMap<>();
        KubernetesClientException notDeleted = null;
        for (IntegratedObject present : open.store().facts()) {
            if (present.isOurs()
                    && !present.isDeleting()
                    && !byName.containsKey(present.name())
                    && !kept.contains(present.fabricLabel())) {
                try {
                    delete(present);
                    deleted.add(present);
                } catch (KubernetesClientException e) {
                    // Whoever changes one all the time, or forbids that it goes, must not keep the others from what
                    // they should be.
                    notDeleted = e;
                }
            }
        }
        List<Wanted> missing = new ArrayList<>();
        for (Wanted object : now.objects().reversed()) {
            IntegratedObject present = open.store().fact(object.name());
            if (present == null) {
                missing.addFirst(object);
            } else if (!present.isOurs()) {
                taken.putIfAbsent(object.fabric(), object.name());
            } else if (!present.hasSpecOf(object) && integration.whatIsFixed() != null) {
                fixed.putIfAbsent(object.fabric(), object.name());
            } else if (!present.isAsWanted(object)) {
                apply(object, present.uid(), written);
            }
        }
        for (Wanted object : missing) {
            apply(object, null, written);
        }
        awaitInStore(open.store(), written, deleted);
        setObjects(byName.size() - refusals.size());
        told().tell(model, conditions(now, taken, fixed));
        if (notDeleted != null) {
            throw notDeleted;
        }
    }

    private void apply(Wanted object, @Nullable String uid, Map<String, Long> written) {
        Refusal before = refusals.get(object.name());
        if (before != null
                && before.wanted().equals(object)
                && System.nanoTime() - before.nanos() < refusedInterval.toNanos()) {
            return;
        }
        try {
            GenericKubernetesResource answer = objects()
                    .resource(IntegratedObject.toApply(kind, integration.sourceLabel(), object, uid))
                    .patch(APPLY);
            refusals.remove(object.name());
            written.put(object.name(), Fact.number(answer.getMetadata().getResourceVersion()));
            count(Outcome.ok);
        } catch (KubernetesClientException e) {
            if (Failures.pass(e)) {
                count(Outcome.again);
                throw e;
            }
            count(Outcome.refused);
            LOG.errorf("%s %s is refused: %s", kind.getKind(), object.name(), e.getMessage());
            refusals.put(object.name(), new Refusal(object, System.nanoTime(), object.name() + ": " + e.getMessage()));
        }
    }

    private void delete(IntegratedObject present) {
        GenericKubernetesResource object = new GenericKubernetesResource();
        object.setApiVersion(kind.getGroup() + "/" + kind.getVersion());
        object.setKind(kind.getKind());
        object.setMetadata(new ObjectMetaBuilder().withName(present.name()).build());
        try {
            // As it was seen: whoever took the name meanwhile keeps it.
            objects()
                    .resource(object)
                    .lockResourceVersion(present.resourceVersion())
                    .delete();
            count(Outcome.deleted);
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                count(Outcome.again);
                throw e;
            }
        }
    }

    /** So that the next look does not write the same once more. Gives up after a while: somebody may have changed it at once. */
    private static void awaitInStore(
            FactStore<GenericKubernetesResource, IntegratedObject> store,
            Map<String, Long> written,
            Collection<IntegratedObject> deleted)
            throws InterruptedException {
        long deadline = System.nanoTime() + STORE_LIMIT.toNanos();
        while (System.nanoTime() < deadline) {
            boolean there = written.entrySet().stream().allMatch(entry -> {
                        IntegratedObject seen = store.fact(entry.getKey());
                        return seen != null && seen.version() >= entry.getValue();
                    })
                    && deleted.stream().allMatch(object -> {
                        IntegratedObject seen = store.fact(object.name());
                        return seen == null || seen.isDeleting() || !seen.uid().equals(object.uid());
                    });
            if (there) {
                return;
            }
            Thread.sleep(STEP);
        }
    }

    private SortedMap<String, ConditionDraft> conditions(
            WantedObjects now, Map<String, String> taken, Map<String, String> fixed) {
        SortedMap<String, ConditionDraft> drafts = new TreeMap<>(now.told());
        fixed.forEach((fabric, name) -> drafts.put(
                fabric,
                new ConditionDraft(
                        integration.condition(),
                        ConditionStatus.False,
                        Reason.CannotChange,
                        kind.getKind() + " " + name + " is out of date: " + integration.whatIsFixed())));
        taken.forEach((fabric, name) -> drafts.put(
                fabric,
                new ConditionDraft(
                        integration.condition(),
                        ConditionStatus.False,
                        Reason.NameTaken,
                        kind.getKind() + " " + name + " is there and has no label " + integration.sourceLabel() + "="
                                + IntegratedObject.OPERATOR
                                + ": it is left as it is, and misses in what the Fabric needs")));
        Map<String, List<String>> messages = new TreeMap<>();
        refusals.values()
                .forEach(refusal -> messages.computeIfAbsent(refusal.wanted().fabric(), f -> new ArrayList<>())
                        .add(refusal.message()));
        messages.forEach((fabric, ofFabric) -> drafts.put(
                fabric,
                refused(Messages.count(ofFabric.size(), "object", "objects") + ", the first is "
                        + ofFabric.stream().sorted().findFirst().orElse(""))));
        return drafts;
    }

    private ConditionDraft refused(@Nullable String why) {
        return new ConditionDraft(
                integration.condition(),
                ConditionStatus.False,
                Reason.WritesRefused,
                "the API server refuses to have " + kind.getKind()
                        + " objects read or written; mend the policy, webhook or right that refuses: " + why);
    }

    private MixedOperation<
                    GenericKubernetesResource, GenericKubernetesResourceList, Resource<GenericKubernetesResource>>
            objects() {
        return client.genericKubernetesResources(kind);
    }
}
