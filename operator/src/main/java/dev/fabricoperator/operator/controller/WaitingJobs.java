/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.crds.ServerSideApply;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.cluster.PagedList;
import dev.fabricoperator.operator.cluster.ReadyEndpoints;
import dev.fabricoperator.operator.launch.LaunchRequest;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatus;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Wakes Jobs whose pods were denied while no server could prepare them, or none was trusted. The Job controller tries again after 1, 2, 4 ... 60 s; a change of the
 * Job makes it look at once.
 */
@ApplicationScoped
public class WaitingJobs {
    private static final Logger LOG = Logger.getLogger(WaitingJobs.class);
    private static final PatchContext APPLY = ServerSideApply.by(FabricApi.OPERATOR_FIELD_MANAGER);
    /** The API server learns of an endpoint when we do, or a little later: so Jobs are looked through twice. */
    private static final Duration[] PAUSES = {Duration.ofMillis(300), Duration.ofSeconds(2)};

    private final KubernetesClient client;
    private final Settings settings;
    private final Clock clock;
    private final GuardedLoops loops;
    private final Informers informers;
    private final Semaphore due = new Semaphore(0);
    private Set<String> ready = Set.of();
    private @Nullable SharedIndexInformer<EndpointSlice> informer;

    WaitingJobs(KubernetesClient client, Settings settings, Clock clock, GuardedLoops loops, Informers informers) {
        this.client = client;
        this.settings = settings;
        this.clock = clock;
        this.loops = loops;
        this.informers = informers;
    }

    /** Starts to watch the servers; returns at once. */
    public synchronized void start() {
        if (informer != null) {
            return;
        }
        informer =
                ReadyEndpoints.watch(informers, client, settings.namespace(), LaunchApi.WEBHOOK_SERVICE, this::compare);
        loops.start("waiting-jobs", this::wakeWhenDue);
    }

    /** Wakes those that wait, soon: the API server has just been told whom to believe, and denied pods before. */
    public void wakeSoon() {
        due.release();
    }

    /** Sees which servers are new; runs on the informer's thread. */
    private void compare(Set<String> now) {
        if (!ready.containsAll(now)) {
            wakeSoon();
        }
        ready = now;
    }

    private void wakeWhenDue() throws InterruptedException {
        due.acquire();
        due.drainPermits();
        for (Duration pause : PAUSES) {
            Thread.sleep(pause);
            try {
                wakeAll();
            } catch (RuntimeException e) {
                // The guard tries again, and must not wait for another server then.
                wakeSoon();
                throw e;
            }
        }
    }

    /** O(Jobs of the namespaces that allow injection), a page at a time. */
    void wakeAll() {
        PagedList.forEach(
                options -> client.namespaces()
                        .withLabel(LaunchApi.LABEL_INJECTION, LaunchApi.INJECTION_ENABLED)
                        .list(options),
                (Namespace namespace) -> PagedList.forEach(
                        options -> client.batch()
                                .v1()
                                .jobs()
                                .inNamespace(namespace.getMetadata().getName())
                                .list(options),
                        (Job job) -> {
                            if (waits(job)) {
                                wake(job);
                            }
                        }));
    }

    /** One that cannot be woken waits for the Job controller's own pause, and keeps no other from being woken. */
    private void wake(Job job) {
        String namespace = job.getMetadata().getNamespace();
        String name = job.getMetadata().getName();
        try {
            // A merge patch would read the Job before, and need the right to. By its UID, one that is deleted meanwhile
            // does not come back.
            client.resource(new JobBuilder()
                            .withNewMetadata()
                            .withNamespace(namespace)
                            .withName(name)
                            .withUid(job.getMetadata().getUid())
                            .addToAnnotations(LaunchApi.WOKEN, clock.instant().toString())
                            .endMetadata()
                            .build())
                    .patch(APPLY);
            LOG.infof("Job %s/%s waited for a server and is woken", namespace, name);
        } catch (KubernetesClientException e) {
            LOG.infof("Job %s/%s waits for a server and cannot be woken: %s", namespace, name, e.getMessage());
        }
    }

    /** Whether a Job that is launched directly has fewer pods than it should have by now. */
    static boolean waits(Job job) {
        Map<String, String> annotations = job.getSpec().getTemplate().getMetadata() == null
                ? null
                : job.getSpec().getTemplate().getMetadata().getAnnotations();
        if (annotations == null
                || !LaunchRequest.isDirect(annotations)
                || Boolean.TRUE.equals(job.getSpec().getSuspend())
                || job.getMetadata().getDeletionTimestamp() != null) {
            return false;
        }
        JobStatus status = job.getStatus();
        if (status == null) {
            return true;
        }
        boolean finished = status.getConditions() != null
                && status.getConditions().stream()
                        .anyMatch(c -> "True".equals(c.getStatus())
                                && ("Complete".equals(c.getType()) || "Failed".equals(c.getType())));
        return !finished
                && orZero(status.getActive()) + orZero(status.getSucceeded())
                        < Objects.requireNonNullElse(job.getSpec().getParallelism(), 1);
    }

    private static int orZero(@Nullable Integer number) {
        return number == null ? 0 : number;
    }
}
