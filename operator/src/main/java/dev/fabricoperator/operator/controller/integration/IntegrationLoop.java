/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.operator.cluster.Fact;
import dev.fabricoperator.operator.cluster.FactStore;
import dev.fabricoperator.operator.cluster.Failures;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.cluster.SettledSwitches;
import dev.fabricoperator.operator.controller.integration.WantedObjects.Wanted;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.Messages;
import dev.fabricoperator.operator.model.condition.ConditionDraft;
import dev.fabricoperator.operator.model.condition.Reason;
import dev.fabricoperator.view.mapping.ObjectNames;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Brings the objects of one integration to what the newest model wants, and back to it when somebody changes them.
 *
 * <p>Only what differs is written. An object without the operator's source label is another's: it is neither changed nor
 * deleted, also where its name is wanted. While the API server does not know the kind nothing is done. What may not be changed
 * later is made, and changed where the API server lets one, when the switches have settled.
 */
final class IntegrationLoop extends IntegrationWriter {
    private static final Logger LOG = Logger.getLogger(IntegrationLoop.class);
    private static final PatchContext APPLY = ServerSideApply.by(FabricApi.OPERATOR_FIELD_MANAGER);
    private static final Duration STORE_LIMIT = Duration.ofSeconds(10);
    private static final Duration LIST_LIMIT = Duration.ofSeconds(30);
    private static final Duration STEP = Duration.ofMillis(20);
    private static final int UNPROCESSABLE = 422;

    private final Integration integration;
    private final ResourceDefinitionContext kind;
    private final KubernetesClient client;
    private final Informers informers;
    private final Duration interval;
    private final Duration refusedInterval;
    private final SettledSwitches settled;
    private final Map<String, Refusal> refusals = new HashMap<>();
    private final Contests contests;
    private final WriteFailures failedDeletions = new WriteFailures();
    /** By UID. */
    private final Map<String, RefusedDeletion> refusedDeletions = new HashMap<>();

    private @Nullable ClusterModel modelOfWanted;
    private WantedObjects wanted = WantedObjects.NONE;
    private @Nullable Watched watched;
    private @Nullable Long lookedNanos;

    private record Watched(
            SharedIndexInformer<GenericKubernetesResource> informer,
            FactStore<GenericKubernetesResource, IntegratedObject> store) {}

    /** @param fixed whether it is there, and the API server does not take the spec that it should have now */
    private record Refusal(Write write, long nanos, String message, boolean fixed) {}

    private record RefusedDeletion(long nanos, String message) {}

    IntegrationLoop(
            Integration integration,
            KubernetesClient client,
            Informers informers,
            MeterRegistry meters,
            Duration interval,
            Duration refusedInterval,
            SettledSwitches settled) {
        super(integration.name(), integration.condition(), meters, interval, Duration.ZERO);
        this.integration = integration;
        this.kind = integration.kind();
        this.client = client;
        this.informers = informers;
        this.interval = interval;
        this.refusedInterval = refusedInterval;
        this.contests = new Contests(refusedInterval);
        this.settled = settled;
    }

    @Override
    protected void bring(ClusterModel model) throws InterruptedException {
        Watched open = open(model);
        if (open != null) {
            bring(model, open.store());
        }
    }

    private @Nullable Watched open(ClusterModel model) throws InterruptedException {
        Watched open = watched;
        Long looked = lookedNanos;
        if (looked != null && System.nanoTime() - looked < interval.toNanos()) {
            return open;
        }
        if (!isKnown(model)) {
            if (open != null) {
                LOG.infof("%s: the API server no longer knows %s", integration.name(), kind.getKind());
                close();
            }
            open = null;
        } else if (open == null && mayBeRead(model)) {
            open = watch();
        }
        watched = open;
        lookedNanos = System.nanoTime();
        return open;
    }

    private boolean isKnown(ClusterModel model) {
        boolean isKnown = client.supports(kind.getGroup() + "/" + kind.getVersion(), kind.getKind());
        if (!isKnown) {
            conditions().set(model, new TreeMap<>());
        }
        return isKnown;
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
                wanted(model).conditions().keySet().forEach(fabric -> problems.put(fabric, refused(e.getMessage())));
            }
            conditions().set(model, problems);
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
        refusedDeletions.clear();
        contests.clear();
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

    /** What is to be written. @param uid of the object that is there */
    private record Write(Wanted object, @Nullable String uid) {}

    /** Why Fabrics' objects are not what they should be, by Fabric, with the name of the first, or all that others write again and again. */
    private record Hindrances(
            Map<String, String> taken,
            Map<String, String> leaving,
            Map<String, TreeSet<String>> contested,
            Set<String> unwritten) {
        Hindrances() {
            this(new TreeMap<>(), new TreeMap<>(), new TreeMap<>(), new TreeSet<>());
        }
    }

    void bring(ClusterModel model, FactStore<GenericKubernetesResource, IntegratedObject> store)
            throws InterruptedException {
        WantedObjects now = wanted(model);
        Map<String, Wanted> byName =
                LinkedHashMap.newLinkedHashMap(now.objects().size());
        now.objects().forEach(object -> byName.put(object.name(), object));
        refusals.keySet().retainAll(byName.keySet());
        failures().begin(byName.keySet());
        contests.begin(byName.keySet());
        Set<String> kept = new HashSet<>();
        now.kept().forEach(fabric -> kept.add(ObjectNames.label(fabric)));

        List<IntegratedObject> unwanted = new ArrayList<>();
        for (IntegratedObject present : store.facts()) {
            if (present.isOurs()
                    && !present.isDeleting()
                    && !byName.containsKey(present.name())
                    && !kept.contains(present.fabricLabel())) {
                unwanted.add(present);
            }
        }
        List<IntegratedObject> deleted = delete(unwanted);
        Hindrances hindrances = new Hindrances();
        Map<String, Long> written = write(writes(now, store, hindrances), hindrances);
        awaitInStore(store, written, deleted);
        int contested =
                hindrances.contested().values().stream().mapToInt(Set::size).sum();
        setObjects(byName.size() - refusals.size() - contested);
        conditions().set(model, drafts(now, unwanted, hindrances));
        failedDeletions.end();
        failures().end();
    }

    /** In the order in which they are made: what is there from the last to the first, then what is missing. */
    private List<Write> writes(
            WantedObjects now, FactStore<GenericKubernetesResource, IntegratedObject> store, Hindrances hindrances) {
        List<Write> writes = new ArrayList<>();
        List<Write> missing = new ArrayList<>();
        boolean isFixed = integration.whatIsFixed() != null;
        List<Write> whenSettled = new ArrayList<>();
        for (Wanted object : now.objects().reversed()) {
            IntegratedObject present = store.fact(object.name());
            if (present == null || !present.isOurs() || present.isDeleting()) {
                refusals.computeIfPresent(object.name(), (name, refusal) -> refusal.fixed() ? null : refusal);
            }
            if (present == null) {
                missing.addFirst(new Write(object, null));
            } else if (!present.isOurs()) {
                hindrances.taken().putIfAbsent(object.fabric(), object.name());
            } else if (present.isDeleting()) {
                hindrances.leaving().putIfAbsent(object.fabric(), object.name());
            } else if (!present.isAsWanted(object)) {
                (isFixed && !present.hasSpecOf(object) ? whenSettled : writes).add(new Write(object, present.uid()));
            } else {
                refusals.remove(object.name());
            }
        }
        (isFixed ? whenSettled : writes).addAll(missing);
        // What is refused all the time must not use up how long anything waits.
        whenSettled.removeIf(this::isRefused);
        if (haveSettled(whenSettled)) {
            writes.addAll(whenSettled);
        } else {
            whenSettled.forEach(
                    write -> hindrances.unwritten().add(write.object().fabric()));
        }
        return writes;
    }

    private boolean haveSettled(List<Write> waiting) {
        if (waiting.isEmpty()) {
            settled.forget();
            return true;
        }
        settled.await();
        return !isLeft(settled.left());
    }

    private Map<String, Long> write(List<Write> writes, Hindrances hindrances) {
        Map<String, Long> written = new HashMap<>();
        List<String> refused = new ArrayList<>();
        writes.sort(Comparator.comparing(
                write -> failures().hasFailed(write.object().name())));
        for (Write write : writes) {
            Wanted object = write.object();
            if (failures().isEnough()) {
                hindrances.unwritten().add(object.fabric());
            } else if (isLeft(contests.left(object.name(), object))) {
                hindrances
                        .contested()
                        .computeIfAbsent(object.fabric(), f -> new TreeSet<>())
                        .add(object.name());
            } else if (!isRefused(write)) {
                apply(write, written, refused);
                if (failures().hasFailed(object.name()) && failures().message(object.name()) == null) {
                    hindrances.unwritten().add(object.fabric());
                }
            }
        }
        logRefused("object", refused);
        return written;
    }

    /** @param what one of them, whose plural has an s */
    private void logRefused(String what, List<String> refused) {
        if (!refused.isEmpty()) {
            LOG.errorf(
                    "%s: %s refused, the first is %s",
                    kind.getKind(), Messages.count(refused.size(), what + " is", what + "s are"), refused.getFirst());
        }
    }

    private boolean isRefused(Write write) {
        Refusal before = refusals.get(write.object().name());
        return before != null
                && before.write().equals(write)
                && System.nanoTime() - before.nanos() < refusedInterval.toNanos();
    }

    private void apply(Write write, Map<String, Long> written, List<String> refused) {
        Wanted object = write.object();
        try {
            GenericKubernetesResource answer = objects()
                    .resource(IntegratedObject.toApply(kind, integration.sourceLabel(), object, write.uid()))
                    .patch(APPLY);
            refusals.remove(object.name());
            failures().passed(object.name());
            contests.corrected(object.name(), object);
            written.put(object.name(), Fact.number(answer.getMetadata().getResourceVersion()));
            count(Outcome.ok);
        } catch (KubernetesClientException e) {
            if (Failures.pass(e)) {
                count(Outcome.again);
                failures().failed(object.name(), e);
                return;
            }
            failures().passed(object.name());
            boolean isFixed = integration.whatIsFixed() != null && write.uid() != null && e.getCode() == UNPROCESSABLE;
            count(isFixed ? Outcome.fixed : Outcome.refused);
            String message = object.name() + ": " + e.getMessage();
            if (!isFixed) {
                refused.add(message);
            }
            refusals.put(object.name(), new Refusal(write, System.nanoTime(), message, isFixed));
        }
    }

    /** Whoever changes one all the time, or forbids that it goes, must not keep others from what they should be. @return those that go */
    private List<IntegratedObject> delete(List<IntegratedObject> unwanted) {
        Set<String> names = new HashSet<>();
        Set<String> uids = new HashSet<>();
        unwanted.forEach(present -> {
            names.add(present.name());
            uids.add(present.uid());
        });
        failedDeletions.begin(names);
        refusedDeletions.keySet().retainAll(uids);
        List<IntegratedObject> deleted = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        unwanted.stream()
                .sorted(Comparator.comparing(present -> failedDeletions.hasFailed(present.name())))
                .filter(present -> !isDeletionRefused(present))
                .takeWhile(present -> !failedDeletions.isEnough())
                .forEach(present -> {
                    if (delete(present, refused)) {
                        deleted.add(present);
                    }
                });
        logRefused("deletion", refused);
        return deleted;
    }

    private boolean isDeletionRefused(IntegratedObject present) {
        RefusedDeletion before = refusedDeletions.get(present.uid());
        return before != null && System.nanoTime() - before.nanos() < refusedInterval.toNanos();
    }

    private boolean delete(IntegratedObject present, List<String> refused) {
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
            if (Failures.pass(e)) {
                count(Outcome.again);
                failedDeletions.failed(present.name(), e);
                return false;
            }
            if (!Failures.isAbsent(e)) {
                count(Outcome.refused);
                failedDeletions.passed(present.name());
                String message = present.name() + " is not wanted any more and stays: " + e.getMessage();
                refused.add(message);
                refusedDeletions.put(present.uid(), new RefusedDeletion(System.nanoTime(), message));
                return false;
            }
        }
        failedDeletions.passed(present.name());
        refusedDeletions.remove(present.uid());
        return true;
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

    private SortedMap<String, ConditionDraft> drafts(
            WantedObjects now, List<IntegratedObject> unwanted, Hindrances hindrances) {
        SortedMap<String, ConditionDraft> drafts = new TreeMap<>(now.conditions());
        hindrances
                .contested()
                .forEach((fabric, names) ->
                        drafts.computeIfPresent(fabric, (f, draft) -> contested(draft, "", "object", names)));
        // What was said before holds until it is known what became of them.
        for (String fabric : hindrances.unwritten()) {
            ConditionDraft last = conditions().last(fabric);
            if (last == null) {
                drafts.remove(fabric);
            } else {
                drafts.put(fabric, last);
            }
        }
        hindrances
                .leaving()
                .forEach((fabric, name) -> drafts.put(
                        fabric,
                        hindered(
                                Reason.BeingDeleted,
                                name
                                        + " is being deleted, and stays until whoever holds it by a finalizer lets it go; then it"
                                        + " is made anew")));
        hindrances
                .taken()
                .forEach((fabric, name) -> drafts.put(
                        fabric,
                        hindered(
                                Reason.NameTaken,
                                name + " is there and has no label " + integration.sourceLabel() + "="
                                        + IntegratedObject.OPERATOR
                                        + ": it is left as it is, and misses in what the Fabric needs")));
        Map<String, TreeSet<String>> refused = new TreeMap<>();
        Map<String, TreeSet<String>> failing = new TreeMap<>();
        for (Refusal refusal : refusals.values()) {
            Wanted object = refusal.write().object();
            String fabric = object.fabric();
            if (refusal.fixed()) {
                drafts.put(
                        fabric,
                        hindered(Reason.CannotChange, object.name() + " is out of date: " + integration.whatIsFixed()));
            } else {
                refused.computeIfAbsent(fabric, f -> new TreeSet<>()).add(refusal.message());
            }
        }
        for (Wanted object : now.objects()) {
            String message = failures().message(object.name());
            if (message != null) {
                failing.computeIfAbsent(object.fabric(), f -> new TreeSet<>()).add(message);
            }
        }
        Map<String, String> fabrics = new HashMap<>();
        now.conditions().keySet().forEach(fabric -> fabrics.put(ObjectNames.label(fabric), fabric));
        for (IntegratedObject present : unwanted) {
            RefusedDeletion refusal = refusedDeletions.get(present.uid());
            String message = refusal == null ? failedDeletions.message(present.name()) : refusal.message();
            String fabric = fabrics.get(present.fabricLabel());
            if (message != null && fabric != null) {
                (refusal == null ? failing : refused)
                        .computeIfAbsent(fabric, f -> new TreeSet<>())
                        .add(message);
            }
        }
        failing.forEach((fabric, messages) -> drafts.put(
                fabric,
                failing(
                        Messages.count(messages.size(), kind.getKind() + " object", kind.getKind() + " objects"),
                        messages.first())));
        refused.forEach((fabric, messages) -> drafts.put(
                fabric,
                refused(Messages.count(messages.size(), "object", "objects") + ", the first is " + messages.first())));
        return drafts;
    }

    private ConditionDraft hindered(Reason reason, String why) {
        return new ConditionDraft(integration.condition(), ConditionStatus.False, reason, kind.getKind() + " " + why);
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
