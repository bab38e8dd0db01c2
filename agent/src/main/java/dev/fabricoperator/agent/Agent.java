/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceBuilder;
import dev.fabricoperator.fabric.device.Neighbor;
import dev.fabricoperator.fabric.discovery.DiscoveryOptions;
import dev.fabricoperator.fabric.discovery.DiscoveryResult;
import dev.fabricoperator.fabric.discovery.HostDiscovery;
import dev.fabricoperator.fabric.discovery.HostTree;
import dev.fabricoperator.fabric.discovery.PathHostTree;
import dev.fabricoperator.fabric.traffic.Impairment;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The agent of one node.
 *
 * <p>One thread looks and publishes. Between looks it polls the link state files; a change leads to a look at once. Many
 * agents can run in one process, each with its own host root, token and port.
 */
public final class Agent implements AutoCloseable {

    private static final Duration FIRST_BACKOFF = Duration.ofSeconds(1);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(30);
    /** Intervals of presence over which agents publish again what all of them may have lost. */
    private static final int SPREAD = 3;

    private final AgentConfig config;
    private final HostTree tree;
    private final HostTree own = PathHostTree.of(Path.of("/"));
    private final HostWatch watch;
    private final HealthWatch health;
    private final LldpNeighbors lldp;
    private final ApiClient api;
    private final Publisher publisher;
    private final AgentMetrics metrics = new AgentMetrics();
    private final SteadyClock clock = SteadyClock.system();
    private final AgentLog log;

    private volatile boolean ready;
    private volatile boolean closed;
    private volatile boolean broken;
    private volatile long lastTurn = System.nanoTime();
    private String trouble = "";
    private String lldpSilence = "";
    private List<String> refusals = List.of();
    private List<String> warm = List.of();
    private @Nullable HealthServer server;
    private @Nullable Thread thread;

    public Agent(AgentConfig config) {
        this(config, ApiClient.Retry.DEFAULT);
    }

    Agent(AgentConfig config, ApiClient.Retry retry) {
        this.config = config;
        this.tree = PathHostTree.of(config.hostRoot());
        this.watch = new HostWatch(tree);
        this.health = new HealthWatch(tree);
        this.lldp = new LldpNeighbors(config.hostRoot(), config.lldpSocket(), config.lldpctl());
        this.log = new AgentLog(config.nodeName());
        this.api = new ApiClient(config.apiServer(), config.tokenFile(), config.caFile(), retry);
        this.publisher = new Publisher(api, config.nodeName(), metrics);
    }

    /**
     * Starts looking and publishing in the background, and the metrics port where one is configured.
     *
     * @throws IOException when the port cannot be opened
     */
    public synchronized void start() throws IOException {
        openPort();
        thread = Thread.ofVirtual().name("agent-" + config.nodeName()).start(this::run);
    }

    /**
     * As {@link #start}, in the caller's thread, until {@link #close}.
     *
     * @throws IOException when the port cannot be opened
     */
    public void runHere() throws IOException {
        synchronized (this) {
            openPort();
            thread = Thread.currentThread();
        }
        run();
    }

    private void openPort() throws IOException {
        if (config.metricsPort() >= 0) {
            server = new HealthServer(config.metricsPort(), this::isAlive, this::isReady, metrics);
        }
    }

    /** Looks and publishes once, in the caller's thread. Whether everything was found and published. */
    public boolean publishOnce() throws InterruptedException {
        return turn(true) && ready;
    }

    /** Whether a complete look at the host has been published since the start. */
    public boolean isReady() {
        return ready;
    }

    /** The port of /healthz, /readyz and /metrics, or -1. */
    public synchronized int metricsPort() {
        return server == null ? -1 : server.port();
    }

    /** The loop turns at least once per poll interval, or it waits for the API server for a bounded time. */
    private boolean isAlive() {
        return !broken
                && System.nanoTime() - lastTurn
                        < config.pollInterval().multipliedBy(10).plusMinutes(10).toNanos();
    }

    private void run() {
        try {
            loop();
        } catch (InterruptedException e) {
            if (!closed) {
                log.warn("interrupted, ending");
            }
        } finally {
            // An error that nobody foresaw ends the loop: the liveness probe has the container started anew.
            broken = !closed;
        }
    }

    private void loop() throws InterruptedException {
        Duration backoff = FIRST_BACKOFF;
        Instant nextLook = Instant.MIN;
        Instant nextResync = Instant.MIN;
        Instant anew = Instant.MAX;
        Instant nextPresence = clock.instant().plus(jittered(config.presenceInterval()));
        while (!closed) {
            lastTurn = System.nanoTime();
            Instant now = clock.instant();
            boolean changed = watch.changed() | lookAtHealth(now);
            if (trouble.isEmpty() && anew.equals(Instant.MAX) && !now.isBefore(nextPresence)) {
                nextPresence = now.plus(jittered(config.presenceInterval()));
                Publisher.Loss loss = loss();
                if (loss != Publisher.Loss.None) {
                    anew = now.plus(untilAnew(loss, config.presenceInterval(), ThreadLocalRandom.current()));
                }
            }
            if (!now.isBefore(anew)) {
                anew = Instant.MAX;
                changed = true;
                nextResync = Instant.MIN;
            }
            // While the server is away a change can wait: the next try looks at the host anew anyway.
            if (changed && trouble.isEmpty() || !now.isBefore(nextLook)) {
                boolean resync = !now.isBefore(nextResync);
                boolean published = turn(resync);
                now = clock.instant();
                if (resync && trouble.isEmpty()) {
                    nextResync = now.plus(jittered(config.resyncInterval()));
                }
                nextLook = now.plus(jittered(published ? config.rediscoverInterval() : backoff));
                backoff = published ? FIRST_BACKOFF : shorter(backoff.multipliedBy(2), LONGEST_BACKOFF);
            }
            Thread.sleep(shorter(
                    config.pollInterval(), Duration.between(now, nextLook).plusMillis(1)));
        }
    }

    /** Whether a limit was crossed, or is no longer. */
    private boolean lookAtHealth(Instant now) {
        long start = System.nanoTime();
        boolean changed = health.look(now, Instant.now());
        metrics.healthLooks.incrementAndGet();
        metrics.healthNanoseconds.addAndGet(System.nanoTime() - start);
        metrics.impairments.set(health.impairments());
        if (!health.aboveMaximum().equals(warm)) {
            warm = health.aboveMaximum();
            log.info(
                    warm.isEmpty()
                            ? "every card is below the maximum of normal use again"
                            : "above the maximum of normal use, which is no fault yet: " + String.join(", ", warm));
        }
        return changed;
    }

    /** Whether somebody has deleted what is published, as far as one look tells; one that fails tells nothing. */
    private Publisher.Loss loss() throws InterruptedException {
        try {
            Publisher.Loss loss = publisher.lost();
            if (loss != Publisher.Loss.None) {
                log.info(
                        loss == Publisher.Loss.Node
                                ? "the Node is gone or was made anew: everything is published again"
                                : "a FabricDevice is gone: everything is published again within "
                                        + SPREAD * config.presenceInterval().toSeconds() + " s");
            }
            return loss;
        } catch (ApiException e) {
            metrics.failures.incrementAndGet();
            return Publisher.Loss.None;
        }
    }

    /** How long it waits before it publishes everything again: where the objects of all nodes may be gone, not all agents at one time. */
    static Duration untilAnew(Publisher.Loss loss, Duration presenceInterval, RandomGenerator random) {
        return loss == Publisher.Loss.Node
                ? Duration.ZERO
                : Duration.ofMillis(random.nextLong(SPREAD * presenceInterval.toMillis()));
    }

    private static Duration shorter(Duration one, Duration other) {
        Duration shorter = one.compareTo(other) <= 0 ? one : other;
        return shorter.isNegative() ? Duration.ZERO : shorter;
    }

    /** One look and what follows from it. False where the server was away or refused something. */
    private boolean turn(boolean resync) throws InterruptedException {
        try {
            if (resync) {
                publisher.resync();
            }
            DiscoveryResult found = discover();
            health.follow(found, publisher::impairments, clock.instant());
            LldpNeighbors.Answer neighbors = neighbors();
            List<String> refused = publisher.publish(
                    enriched(found, neighbors),
                    neighbors instanceof LldpNeighbors.Unknown ? Set.of("neighbor") : Set.of(),
                    Instant.now());
            if (!trouble.isEmpty()) {
                log.info("the API server answers again");
                trouble = "";
            }
            if (!refused.isEmpty() && !refused.equals(refusals)) {
                refused.forEach(reason -> log.warn("refused: " + reason));
            }
            refusals = refused;
            if (!refused.isEmpty()) {
                metrics.failures.incrementAndGet();
            }
            if (found.complete() && refused.isEmpty() && !ready) {
                ready = true;
                metrics.ready.set(1);
                log.info("published " + found.devices().size() + " devices");
            }
            return refused.isEmpty();
        } catch (ApiException e) {
            metrics.failures.incrementAndGet();
            String reason = String.valueOf(e.getMessage());
            if (trouble.isEmpty()) {
                log.warn("cannot publish, will try again: " + reason);
            }
            trouble = reason;
            return false;
        }
    }

    private DiscoveryResult discover() {
        long start = System.nanoTime();
        DiscoveryOptions options = new DiscoveryOptions(
                config.nodeName(), publisher.internalAddresses(), LiveAddresses.of(tree, own), publisher.isInClique());
        DiscoveryResult found = HostDiscovery.discover(tree, options);
        metrics.discoveries.incrementAndGet();
        metrics.discoveryNanoseconds.addAndGet(System.nanoTime() - start);
        metrics.devices.set(found.devices().size());
        metrics.readErrors.set(found.errors().size()
                + found.devices().stream().mapToLong(d -> d.readErrors().size()).sum());
        return found;
    }

    /** An LLDP daemon is no must: that there is none, or none any more, is said once. */
    private LldpNeighbors.Answer neighbors() throws InterruptedException {
        LldpNeighbors.Answer answer = lldp.ask();
        String silence = answer instanceof LldpNeighbors.Unknown(String reason) ? reason : "";
        if (!silence.equals(lldpSilence)) {
            log.info(silence.isEmpty() ? "the LLDP daemon answers" : "neighbours are unknown: " + silence);
            lldpSilence = silence;
        }
        return answer;
    }

    /** With what the look itself does not find: neighbours, and signs that links are about to fail. */
    private DiscoveryResult enriched(DiscoveryResult found, LldpNeighbors.Answer answer) {
        Map<String, Neighbor> neighbors =
                answer instanceof LldpNeighbors.Known(Map<String, Neighbor> known) ? known : Map.of();
        List<Device> devices = new ArrayList<>();
        for (Device device : found.devices()) {
            Neighbor neighbor = neighbors.get(device.netdev() == null ? device.osName() : device.netdev());
            List<Impairment> impairments = health.of(device);
            devices.add(
                    neighbor == null && impairments.isEmpty()
                            ? device
                            : DeviceBuilder.builder(device)
                                    .neighbor(neighbor == null ? device.neighbor() : neighbor)
                                    .impairments(impairments)
                                    .build());
        }
        return new DiscoveryResult(found.hostname(), devices, found.complete(), found.errorFree(), found.errors());
    }

    private static Duration jittered(Duration duration) {
        long millis = duration.toMillis();
        return Duration.ofMillis(millis - ThreadLocalRandom.current().nextLong(millis / 4 + 1));
    }

    /** Ends the loop and closes the port; what is published stays. */
    @Override
    public void close() {
        closed = true;
        HealthServer open;
        Thread running;
        synchronized (this) {
            open = server;
            running = thread;
        }
        if (running != null) {
            running.interrupt();
            try {
                running.join(Duration.ofSeconds(5));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        api.close();
        if (open != null) {
            open.close();
        }
    }
}
