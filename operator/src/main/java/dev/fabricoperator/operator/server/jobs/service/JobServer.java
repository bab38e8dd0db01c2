/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.certificate.ServingIdentity;
import dev.fabricoperator.operator.cluster.EventWriter;
import dev.fabricoperator.operator.launch.IndexedJobs;
import dev.fabricoperator.operator.launch.JobFacts;
import dev.fabricoperator.operator.launch.JobKind;
import dev.fabricoperator.operator.launch.JobSets;
import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.server.jobs.JobSettings;
import dev.fabricoperator.operator.server.jobs.ReadyEndpoints;
import dev.fabricoperator.operator.server.jobs.assembly.Assembly;
import dev.fabricoperator.operator.server.jobs.placement.BuiltMap;
import dev.fabricoperator.operator.server.jobs.placement.JobMaps;
import dev.fabricoperator.operator.server.jobs.placement.JobTickets;
import dev.fabricoperator.operator.server.jobs.placement.KnownFabrics;
import dev.fabricoperator.operator.server.jobs.status.FabricJobObject;
import dev.fabricoperator.operator.server.jobs.status.FabricJobWriter;
import dev.fabricoperator.operator.server.jobs.status.Placement;
import dev.fabricoperator.operator.server.query.QueryServer;
import dev.fabricoperator.operator.server.query.served.Served;
import dev.fabricoperator.operator.server.query.served.ServedDevice;
import dev.fabricoperator.pmix.job.JobMapCodec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Runs the job service in the role {@code server}. */
@ApplicationScoped
public class JobServer {
    private static final Logger LOG = Logger.getLogger(JobServer.class);
    private static final long SWEEP_MILLISECONDS = 250;

    private final Vertx vertx;
    private final KubernetesClient client;
    private final Settings settings;
    private final JobSettings jobs;
    private final ServingIdentity identity;
    private final MeterRegistry meters;
    private final Clock clock;
    private final DirectPods pods;
    private final PodTokens tokens;
    private final List<JobKind> kinds;
    private final JobRegistry registry;
    private final Replicas replicas;
    private final JobMaps maps;
    private final EventWriter events;
    private final Conditions conditions;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("fabric-jobs").daemon(true).factory());
    private @Nullable JobListener listener;
    private @Nullable Thread sweeper;

    JobServer(
            Vertx vertx,
            KubernetesClient client,
            Settings settings,
            JobSettings jobs,
            ServingIdentity identity,
            MeterRegistry meters,
            QueryServer query,
            EventWriter events,
            Conditions conditions,
            Clock clock) {
        this.vertx = vertx;
        this.client = client;
        this.settings = settings;
        this.jobs = jobs;
        this.identity = identity;
        this.meters = meters;
        this.maps = new JobMaps(new ModelsOfServer(query));
        this.events = events;
        this.conditions = conditions;
        this.clock = clock;
        pods = new DirectPods(client);
        tokens = new PodTokens(client, clock, jobs.tokenCache(), jobs.reviews());
        // A pod of a JobSet is one of a Job too, so that the JobSet is asked first.
        kinds = List.of(new JobSets(client), new IndexedJobs(client));
        registry = new JobRegistry(kinds, this::open, clock, jobs.forget());
        replicas = new Replicas(jobs.address()
                .map(address -> ReadyEndpoints.authority(address, jobs.port()))
                .orElse(null));
    }

    /** Starts to listen; returns without waiting for any object. */
    public void start() {
        pods.start(this::seen);
        replicas.start(client, settings.namespace(), jobs.service(), () -> registry.release(replicas));
        JobListener made = new JobListener(
                vertx,
                jobs,
                identity.keyManager(),
                new JobEndpoint(tokens, pods, registry, replicas),
                (path, status, took) -> meters.timer(
                                "fabric_operator_jobs", "path", path, "code", Integer.toString(status))
                        .record(took));
        try {
            made.start();
        } catch (IOException e) {
            throw new UncheckedIOException("job service on port " + jobs.port(), e);
        }
        listener = made;
        sweeper = Thread.ofVirtual().name("jobs-timeouts").start(this::expireRegularly);
    }

    private ServedJob open(JobFacts facts) {
        AtomicReference<@Nullable Supplier<Placement>> placement = new AtomicReference<>();
        AtomicReference<JobTickets> tickets = new AtomicReference<>(JobTickets.NONE);
        FabricJobObject object = new FabricJobObject(client, facts, () -> isThere(facts));
        FabricJobStatus found = object.status();
        Assembly assembly = new Assembly(facts, FabricJobWriter.stored(found), (attempt, joined) -> {
            BuiltMap made = maps.map(facts, attempt, joined);
            placement.set(new Once(made.placement()));
            byte[] map = JobMapCodec.encode(made.map());
            tickets.set(joined.size() > jobs.handOnAbove() ? JobTickets.of(made.map(), map) : JobTickets.NONE);
            LOG.infof(
                    "attempt %d of %s %s/%s is whole: %d pods, %d ranks, a map of %d bytes",
                    attempt,
                    facts.owner().kind(),
                    facts.namespace(),
                    facts.owner().name(),
                    joined.size(),
                    facts.ranks(),
                    map.length);
            return map;
        });
        ServedJob job = new ServedJob(assembly, tickets::get, clock, jobs.hold());
        FabricJobWriter reporter =
                new FabricJobWriter(object, events, conditions, timer, facts, found, job::progress, () -> {
                    Supplier<Placement> known = placement.get();
                    return known == null ? Placement.UNKNOWN : known.get();
                });
        job.listen(reporter::changed);
        if (facts.refusal() != null) {
            reporter.changed();
        }
        return job;
    }

    private boolean isThere(JobFacts facts) {
        return kinds.stream().anyMatch(kind -> kind.read(facts.namespace(), facts.owner()) != null);
    }

    /** The models that the query API answers from. */
    private record ModelsOfServer(QueryServer query) implements KnownFabrics {
        @Override
        public List<ServedDevice> devices() {
            return query.devices();
        }

        @Override
        public @Nullable Served fabric(String name) {
            return query.fabrics().get(name);
        }
    }

    /** Works something out when it is asked for the first time. */
    private static final class Once implements Supplier<Placement> {
        private @Nullable Supplier<Placement> work;
        private Placement result = Placement.UNKNOWN;

        Once(Supplier<Placement> work) {
            this.work = work;
        }

        @Override
        public synchronized Placement get() {
            Supplier<Placement> undone = work;
            if (undone != null) {
                result = undone.get();
                work = null;
            }
            return result;
        }
    }

    private void seen(@Nullable PodFact before, @Nullable PodFact after) {
        if (after == null && before != null) {
            tokens.forget(before.uid());
        }
        registry.seen(before, after);
    }

    private void expireRegularly() {
        try {
            while (true) {
                Thread.sleep(SWEEP_MILLISECONDS);
                expireOnce();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void expireOnce() {
        try {
            registry.expire();
        } catch (RuntimeException e) {
            // A defect in one job must not stop the clock of the others.
            LOG.error("the time-outs of jobs were not looked at", e);
        }
    }

    @PreDestroy
    void stop() {
        registry.close();
        if (sweeper != null) {
            sweeper.interrupt();
        }
        if (listener != null) {
            listener.close();
        }
        timer.shutdownNow();
        replicas.close();
        pods.close();
    }
}
