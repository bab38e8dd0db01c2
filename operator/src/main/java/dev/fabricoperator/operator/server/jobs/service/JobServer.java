/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.HostPreparation;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.EventWriter;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.GuardedLoop;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.cluster.Informers;
import dev.fabricoperator.operator.cluster.ReadyEndpoints;
import dev.fabricoperator.operator.cluster.SwitchFacts;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.JobOwners;
import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.server.auth.ReviewClient;
import dev.fabricoperator.operator.server.auth.TokenAuthenticator;
import dev.fabricoperator.operator.server.http.FairTurns;
import dev.fabricoperator.operator.server.http.Listener;
import dev.fabricoperator.operator.server.http.ServingIdentity;
import dev.fabricoperator.operator.server.jobs.JobSettings;
import dev.fabricoperator.operator.server.jobs.assembly.Assembly;
import dev.fabricoperator.operator.server.jobs.assembly.JobPodId;
import dev.fabricoperator.operator.server.jobs.placement.BuiltMap;
import dev.fabricoperator.operator.server.jobs.placement.JobMaps;
import dev.fabricoperator.operator.server.jobs.placement.JobTickets;
import dev.fabricoperator.operator.server.jobs.placement.KnownFabrics;
import dev.fabricoperator.operator.server.jobs.status.FabricJobObject;
import dev.fabricoperator.operator.server.jobs.status.FabricJobWriter;
import dev.fabricoperator.operator.server.jobs.status.Placement;
import dev.fabricoperator.operator.server.served.JobTraffic;
import dev.fabricoperator.operator.server.served.ServedDevice;
import dev.fabricoperator.operator.server.served.ServedFabric;
import dev.fabricoperator.operator.server.served.ServedModels;
import dev.fabricoperator.operator.server.traffic.CounterSources;
import dev.fabricoperator.operator.server.traffic.JobsOnNodes;
import dev.fabricoperator.operator.server.traffic.TrafficOfJobs;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
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
    private final SteadyClock steady;
    private final DirectPods pods;
    private final PodTokens tokens;
    private final JobOwners owners;
    private final JobRegistry registry;
    private final Replicas replicas;
    private final ServedModels models;
    private final KnownFabrics known;
    private final JobMaps maps;
    private final TrafficOfJobs traffic;
    private final CounterSources exporters;
    private final JobsOnNodes jobsOnNodes;
    private final EventWriter events;
    private final Conditions conditions;
    private final GuardedLoops loops;
    private final Informers informers;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("fabric-jobs").daemon(true).factory());
    private @Nullable Listener listener;
    private @Nullable GuardedLoop timeouts;
    private @Nullable GuardedLoop fabricUpdates;
    private @Nullable GuardedLoop counters;

    JobServer(
            Vertx vertx,
            KubernetesClient client,
            Settings settings,
            JobSettings jobs,
            ServingIdentity identity,
            MeterRegistry meters,
            ServedModels models,
            TrafficOfJobs traffic,
            CounterSources exporters,
            JobsOnNodes jobsOnNodes,
            EventWriter events,
            Conditions conditions,
            GuardedLoops loops,
            Informers informers,
            Clock clock,
            SteadyClock steady) {
        this.vertx = vertx;
        this.client = client;
        this.settings = settings;
        this.jobs = jobs;
        this.identity = identity;
        this.meters = meters;
        this.models = models;
        this.known = new ModelsOfServer(models);
        this.maps = new JobMaps(known);
        this.traffic = traffic;
        this.exporters = exporters;
        this.jobsOnNodes = jobsOnNodes;
        this.events = events;
        this.conditions = conditions;
        this.loops = loops;
        this.informers = informers;
        this.clock = clock;
        this.steady = steady;
        pods = new DirectPods(client, informers, DirectPods.READ_WAIT);
        tokens = new PodTokens(new TokenAuthenticator(
                new ReviewClient(client),
                LaunchApi.TOKEN_AUDIENCE,
                jobs.tokenCache(),
                PodTokens::podUid,
                jobs.reviews(),
                clock,
                steady,
                meters));
        owners = new JobOwners(client, steady);
        registry = new JobRegistry(owners, this::open, steady, jobs.forget());
        replicas = new Replicas(jobs.address()
                .map(address -> ReadyEndpoints.authority(address, jobs.port()))
                .orElse(null));
    }

    /** Starts to listen; returns without waiting for any object. */
    public void start() {
        pods.start(this::seen);
        replicas.start(informers, client, settings.namespace(), jobs.service(), () -> registry.release(replicas));
        Listener made = new Listener(
                vertx,
                new Listener.ServingInfo("jobs", jobs.host(), jobs.port(), Set.of("TLSv1.3"), false),
                jobs.listener(),
                identity.keyManager(),
                meters);
        TrafficCopies copies = new TrafficCopies(vertx, identity, jobs.service() + "." + settings.namespace() + ".svc");
        ReplicaRoutes routes = new ReplicaRoutes(replicas, copies, traffic, exporters);
        traffic.listen(routes::tell, registry::serves);
        exporters.share(routes);
        routes.addTo(made);
        new JobRoutes(
                        new JobEndpoint(
                                new FairTurns(JobEndpoint.TURNS),
                                pods,
                                registry,
                                replicas,
                                new SshHosts(client, pods, known),
                                new HeldMaps(known, maps, this::knownPod),
                                new TrafficTold(this::namedPod, clock),
                                traffic,
                                new CopyQueue(
                                        replicas::others,
                                        copies,
                                        (millis, what) -> vertx.setTimer(millis, id -> what.run())),
                                meters)::answer,
                        tokens::prove,
                        meters,
                        JobRoutes.PATIENCE_OF_HELD)
                .addTo(made);
        try {
            made.start();
        } catch (IOException e) {
            throw new UncheckedIOException("job service on port " + jobs.port(), e);
        }
        listener = made;
        AtomicInteger impairments = new AtomicInteger();
        timeouts = loops.start("job-timeouts", () -> {
            registry.expire();
            int now = models.impairmentChanges();
            if (impairments.getAndSet(now) != now) {
                registry.devicesChanged();
            }
            Thread.sleep(SWEEP_MILLISECONDS);
        });
        counters = loops.start("exporters", () -> {
            long start = System.nanoTime();
            exporters.look(models.fabricFacts().stream()
                    .map(fabric -> models.fabrics().get(fabric.name()))
                    .filter(Objects::nonNull)
                    .toList());
            Duration left = CounterSources.EVERY.minusNanos(System.nanoTime() - start);
            if (left.isPositive()) {
                Thread.sleep(left);
            }
        });
        Semaphore changed = new Semaphore(0);
        models.fabrics().updates().listen(changed::release);
        fabricUpdates = loops.startPlatform("job-fabrics", () -> {
            // A pod that could not be told when something changed is told soon after.
            boolean news = changed.tryAcquire(SWEEP_MILLISECONDS, TimeUnit.MILLISECONDS);
            if (news) {
                changed.drainPermits();
            }
            registry.tellNews();
        });
    }

    private @Nullable JobPodId knownPod(DirectJob job, String name) {
        PodFact pod = pods.known(job.namespace(), name);
        return pod == null ? null : registry.known(job, pod);
    }

    private @Nullable JobPodId namedPod(DirectJob job, String name) {
        PodFact pod = pods.known(job.namespace(), name);
        return pod == null ? null : registry.named(job, pod);
    }

    private ServedJob open(DirectJob job, PodFact first, @Nullable Supplier<Assembly.StoredAttempt> before) {
        AtomicReference<@Nullable Supplier<Placement>> placement = new AtomicReference<>();
        AtomicReference<JobTickets> tickets = new AtomicReference<>(JobTickets.NONE);
        AtomicReference<@Nullable FabricOfJob> fabric = new AtomicReference<>();
        FabricJobObject object = new FabricJobObject(client, job, owners);
        FabricJobStatus found = object.status();
        Assembly assembly = new Assembly(
                job,
                before == null ? FabricJobWriter.stored(found) : before.get(),
                maps::onPreparedHosts,
                (attempt, joined) -> {
                    BuiltMap made = maps.map(job, attempt, joined);
                    placement.set(new Once(made.placement()));
                    fabric.set(FabricOfJob.of(known, made));
                    byte[] map = JobMaps.encoded(made.map(), joined);
                    tickets.set(joined.size() > jobs.handOnAbove() ? JobTickets.of(made.map(), map) : JobTickets.NONE);
                    LOG.infof(
                            "attempt %d of %s %s/%s is whole: %d pods, %d ranks, a map of %d bytes",
                            attempt,
                            job.owner().kind(),
                            job.namespace(),
                            job.name(),
                            joined.size(),
                            job.ranks(),
                            map.length);
                    return map;
                });
        ServedJob served = new ServedJob(assembly, tickets::get, fabric, clock, steady, jobs.hold());
        FabricJobWriter writer = new FabricJobWriter(
                object,
                events,
                conditions,
                timer,
                job,
                first.secondContainer(),
                found,
                served::phase,
                served::progress,
                () -> {
                    Supplier<Placement> known = placement.get();
                    return known == null ? Placement.UNKNOWN : known.get();
                },
                attempt -> {
                    FabricOfJob known = fabric.get();
                    return known == null || !known.isOf(attempt) ? null : known.impaired();
                },
                () -> models.fabricFacts().stream().map(FabricFacts::name).collect(Collectors.toUnmodifiableSet()),
                served::over);
        served.listen(writer::changed, writer::closed);
        served.isCalled(object::name);
        served.isWatched(() -> traffic.isWatched(job.namespace(), object.name()));
        traffic.begins(job.namespace(), object.name(), job.owner().uid());
        if (job.refusal() != null) {
            writer.changed();
        }
        return served;
    }

    /** The models that the query API answers from. */
    private record ModelsOfServer(ServedModels models) implements KnownFabrics {
        @Override
        public List<ServedDevice> devicesOf(String node) {
            return models.devicesOf(node);
        }

        @Override
        public @Nullable ServedFabric fabric(String name) {
            return models.fabrics().get(name);
        }

        @Override
        public @Nullable ServedFabric nvlink() {
            return models.fabrics().nvlink(models.fabricFacts());
        }

        @Override
        public List<SwitchFacts> impairedSwitches() {
            return models.impairedSwitches();
        }

        @Override
        public JobTraffic jobTraffic() {
            return models.jobTraffic();
        }

        @Override
        public Set<String> withPreparedHosts() {
            return models.fabricFacts().stream()
                    .filter(fabric -> {
                        HostPreparation preparation = fabric.spec().hostPreparation();
                        return preparation != null && !preparation.device().isEmpty();
                    })
                    .map(FabricFacts::name)
                    .collect(Collectors.toUnmodifiableSet());
        }

        @Override
        public boolean isPending(String name) {
            return models.fabrics().isPending(name);
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
        jobsOnNodes.seen(before, after);
    }

    @PreDestroy
    void stop() {
        registry.close();
        if (timeouts != null) {
            timeouts.stop();
        }
        if (fabricUpdates != null) {
            fabricUpdates.stop();
        }
        if (counters != null) {
            counters.stop();
        }
        if (listener != null) {
            listener.close();
        }
        timer.shutdownNow();
    }
}
