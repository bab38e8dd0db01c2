/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.ServerSideApply;
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
import io.fabric8.kubernetes.api.model.HasMetadata;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
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

    private final Integration integration;
    private final ResourceDefinitionContext kind;
    private final KubernetesClient client;
    private final Informers informers;
    private final Duration interval;
    private final SettledSwitches settled;
    private final Applier applier;
    private final Applier deletions;

    private @Nullable ClusterModel modelOfWanted;
    private WantedObjects wanted = WantedObjects.NONE;
    private @Nullable Watched watched;
    private @Nullable Long lookedNanos;

    private record Watched(
            SharedIndexInformer<GenericKubernetesResource> informer,
            FactStore<GenericKubernetesResource, IntegratedObject> store) {}

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
        this.settled = settled;
        this.applier = new Applier(kind.getKind(), "object", refusedInterval, this::count);
        this.deletions = new Applier(kind.getKind(), "deletion", refusedInterval, this::count);
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
        applier.clear();
        deletions.clear();
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
        Set<String> names = now.objects().stream().map(Wanted::name).collect(Collectors.toSet());
        applier.begin(names);
        Set<String> kept = new HashSet<>();
        now.kept().forEach(fabric -> kept.add(ObjectNames.label(fabric)));

        List<IntegratedObject> unwanted = new ArrayList<>();
        for (IntegratedObject present : store.facts()) {
            if (present.isOurs()
                    && !present.isDeleting()
                    && !names.contains(present.name())
                    && !kept.contains(present.fabricLabel())) {
                unwanted.add(present);
            }
        }
        List<IntegratedObject> deleted = delete(unwanted);
        Hindrances hindrances = new Hindrances();
        Set<String> written = write(writes(now, store, hindrances), hindrances);
        // So that the next look does not write the same once more.
        FactStore.await(() -> isShown(store, written, deleted), STORE_LIMIT);
        int contested =
                hindrances.contested().values().stream().mapToInt(Set::size).sum();
        setObjects(names.size() - applier.refusals() - contested);
        conditions().set(model, drafts(now, unwanted, hindrances));
        deletions.end();
        applier.end();
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
                Applier.Refusal refusal = applier.refusal(object.name());
                if (refusal != null && refusal.fixed()) {
                    applier.forgetRefusal(object.name());
                }
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
                applier.forgetRefusal(object.name());
            }
        }
        (isFixed ? whenSettled : writes).addAll(missing);
        // What is refused all the time must not use up how long anything waits.
        whenSettled.removeIf(write -> applier.isRefused(write.object().name(), write));
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

    /** @return names of those that were to be written now */
    private Set<String> write(List<Write> writes, Hindrances hindrances) throws InterruptedException {
        Map<String, String> fabrics = new HashMap<>();
        List<Applier.Write> due = new ArrayList<>();
        for (Write write : writes) {
            Wanted object = write.object();
            fabrics.put(object.name(), object.fabric());
            if (isLeft(applier.contested(object.name(), object))) {
                hindrances
                        .contested()
                        .computeIfAbsent(object.fabric(), f -> new TreeSet<>())
                        .add(object.name());
            } else if (!applier.isRefused(object.name(), write)) {
                boolean mayBeFixed = integration.whatIsFixed() != null && write.uid() != null;
                due.add(new Applier.Write(
                        object.name(),
                        write,
                        object,
                        mayBeFixed,
                        () -> objects()
                                .resource(
                                        IntegratedObject.toApply(kind, integration.sourceLabel(), object, write.uid()))
                                .patch(APPLY)));
            }
        }
        // One after the other: the order is that in which they are made.
        applier.apply(due, 1).forEach(name -> hindrances.unwritten().add(Objects.requireNonNull(fabrics.get(name))));
        return due.stream().map(Applier.Write::name).collect(Collectors.toSet());
    }

    /** Whoever changes one all the time, or forbids that it goes, must not keep others from what they should be. @return those that go */
    private List<IntegratedObject> delete(List<IntegratedObject> unwanted) throws InterruptedException {
        deletions.begin(unwanted.stream().map(IntegratedObject::name).collect(Collectors.toSet()));
        List<IntegratedObject> due = unwanted.stream()
                .filter(present -> !deletions.isRefused(present.name(), present.uid()))
                .toList();
        Set<String> unknown = deletions.apply(
                due.stream()
                        .map(present ->
                                new Applier.Write(present.name(), present.uid(), null, false, () -> delete(present)))
                        .toList(),
                1);
        return due.stream()
                .filter(present -> !unknown.contains(present.name()) && deletions.refusal(present.name()) == null)
                .toList();
    }

    private @Nullable HasMetadata delete(IntegratedObject present) {
        GenericKubernetesResource object = new GenericKubernetesResource();
        object.setApiVersion(kind.getGroup() + "/" + kind.getVersion());
        object.setKind(kind.getKind());
        object.setMetadata(new ObjectMetaBuilder().withName(present.name()).build());
        // As it was seen: whoever took the name meanwhile keeps it.
        objects()
                .resource(object)
                .lockResourceVersion(present.resourceVersion())
                .delete();
        return null;
    }

    private boolean isShown(
            FactStore<GenericKubernetesResource, IntegratedObject> store,
            Collection<String> written,
            Collection<IntegratedObject> deleted) {
        return written.stream().allMatch(name -> applier.isShown(name, store.fact(name)))
                && deleted.stream().allMatch(object -> {
                    IntegratedObject seen = store.fact(object.name());
                    return seen == null || seen.isDeleting() || !seen.uid().equals(object.uid());
                });
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
        for (Wanted object : now.objects()) {
            String fabric = object.fabric();
            Applier.Refusal refusal = applier.refusal(object.name());
            String failure = applier.failure(object.name());
            if (refusal != null && refusal.fixed()) {
                drafts.put(
                        fabric,
                        hindered(Reason.CannotChange, object.name() + " is out of date: " + integration.whatIsFixed()));
            } else if (refusal != null) {
                refused.computeIfAbsent(fabric, f -> new TreeSet<>()).add(object.name() + ": " + refusal.problem());
            }
            if (failure != null) {
                failing.computeIfAbsent(fabric, f -> new TreeSet<>()).add(failure);
            }
        }
        Map<String, String> fabrics = new HashMap<>();
        now.conditions().keySet().forEach(fabric -> fabrics.put(ObjectNames.label(fabric), fabric));
        for (IntegratedObject present : unwanted) {
            Applier.Refusal refusal = deletions.refusal(present.name());
            String message = refusal == null
                    ? deletions.failure(present.name())
                    : present.name() + " is not wanted any more and stays: " + refusal.problem();
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
