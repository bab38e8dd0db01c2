/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.launch.LaunchRequest;
import dev.fabricoperator.operator.server.jobs.ReadyEndpoints;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatus;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Wakes Jobs whose pods were refused while no server could prepare them. The Job controller tries again after 1, 2, 4 ... 60 s; a change of the
 * Job makes it look at once.
 */
@ApplicationScoped
public class WaitingJobs {
    private static final Logger LOG = Logger.getLogger(WaitingJobs.class);
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
    /** The API server learns of an endpoint when we do, or a little later: so there is a second look. */
    private static final Duration[] LOOKS = {Duration.ofMillis(300), Duration.ofSeconds(2)};

    private final KubernetesClient client;
    private final Settings settings;
    private final Clock clock;
    private final Semaphore arrived = new Semaphore(0);
    private Set<String> ready = Set.of();
    private @Nullable SharedIndexInformer<EndpointSlice> informer;
    private @Nullable Thread thread;

    WaitingJobs(KubernetesClient client, Settings settings, Clock clock) {
        this.client = client;
        this.settings = settings;
        this.clock = clock;
    }

    /** Starts to watch the servers; returns at once. */
    public synchronized void start() {
        if (informer != null) {
            return;
        }
        SharedIndexInformer<EndpointSlice> made = client.discovery()
                .v1()
                .endpointSlices()
                .inNamespace(settings.namespace())
                .withLabel(ReadyEndpoints.SERVICE_LABEL, LaunchApi.WEBHOOK_SERVICE)
                .runnableInformer(0);
        made.exceptionHandler((started, problem) -> true).addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(EndpointSlice slice) {
                look(made);
            }

            @Override
            public void onUpdate(EndpointSlice before, EndpointSlice after) {
                look(made);
            }

            @Override
            public void onDelete(EndpointSlice slice, boolean unknown) {
                look(made);
            }
        });
        informer = made;
        made.start();
        thread = Thread.ofVirtual().name("waiting-jobs").start(this::run);
    }

    private void look(SharedIndexInformer<EndpointSlice> slices) {
        Set<String> now = new HashSet<>(ReadyEndpoints.of(slices.getStore().list()));
        if (!ready.containsAll(now)) {
            arrived.release();
        }
        ready = now;
    }

    private void run() {
        try {
            while (true) {
                arrived.acquire();
                arrived.drainPermits();
                for (Duration pause : LOOKS) {
                    Thread.sleep(pause);
                    wakeOrLeaveThem();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void wakeOrLeaveThem() {
        try {
            LOG.debug("a server has come: jobs that waited for it are looked for");
            for (Namespace namespace : client.namespaces()
                    .withLabel(LaunchApi.LABEL_INJECTION, LaunchApi.INJECTION_ENABLED)
                    .list()
                    .getItems()) {
                client.batch().v1().jobs().inNamespace(namespace.getMetadata().getName()).list().getItems().stream()
                        .filter(WaitingJobs::waits)
                        .forEach(this::wake);
            }
        } catch (KubernetesClientException e) {
            LOG.warnf("jobs that wait for a server are left to the Job controller's own pauses: %s", e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("defect while waking jobs", e);
        }
    }

    private void wake(Job job) {
        String name = job.getMetadata().getName();
        try {
            client.batch()
                    .v1()
                    .jobs()
                    .inNamespace(job.getMetadata().getNamespace())
                    .withName(name)
                    .patch(
                            MERGE,
                            "{\"metadata\":{\"annotations\":{\"" + LaunchApi.WOKEN + "\":\"" + clock.instant()
                                    + "\"}}}");
            LOG.infof(
                    "Job %s/%s waited for a server and is woken",
                    job.getMetadata().getNamespace(), name);
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
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

    @PreDestroy
    synchronized void stop() {
        if (informer != null) {
            informer.stop();
        }
        if (thread != null) {
            thread.interrupt();
        }
    }
}
