/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster.standin;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One pod's life on a stand-in node, in a virtual thread: token, start, readiness, end. */
final class PodWorker {
    private static final Logger LOG = LoggerFactory.getLogger(PodWorker.class);
    private static final Duration PROBE_PERIOD = Duration.ofMillis(200);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(5);
    // As the kubelet does: renewed when a fifth of the time is left.
    private static final double RENEW_AT = 0.8;

    private final KubeletApi api;
    private final BoundPod bound;
    private final PodRuntime runtime;
    private final Clock clock;
    private final Thread thread;

    private volatile boolean ended;
    private volatile boolean deleted;
    private Instant renewTokenAt = Instant.MIN;
    private volatile @Nullable Boolean reported;

    PodWorker(KubeletApi api, BoundPod bound, PodRuntime runtime, Clock clock) {
        this.api = api;
        this.bound = bound;
        this.runtime = runtime;
        this.clock = clock;
        this.thread = Thread.ofVirtual()
                .name("pod " + bound.pod().getMetadata().getName())
                .unstarted(this::live);
    }

    void start() {
        thread.start();
    }

    /**
     * Compares what the API server holds with what was reported: the node lifecycle controller takes Ready away from the pods of a silent node, and only the
     * kubelet gives it back.
     */
    void observe(Pod current) {
        Boolean told = reported;
        boolean held = current.getStatus().getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("Ready")
                        && condition.getStatus().equals("True"));
        if (told != null && told != held) {
            reported = null;
        }
    }

    /** Ends the program; {@code deleted} also removes the pod from the API server, as after a graceful deletion. */
    void end(boolean deleted) {
        this.deleted = deleted;
        ended = true;
        thread.interrupt();
    }

    void awaitEnd() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void live() {
        Duration backoff = Duration.ofMillis(200);
        while (!ended) {
            try {
                runOnce();
            } catch (Exception e) {
                if (ended) {
                    break;
                }
                LOG.warn(
                        "pod {} on {}: {}",
                        bound.pod().getMetadata().getName(),
                        bound.node().name(),
                        e.toString());
                reportFailure(e);
                pause(backoff);
                backoff = backoff.multipliedBy(2).compareTo(LONGEST_BACKOFF) < 0
                        ? backoff.multipliedBy(2)
                        : LONGEST_BACKOFF;
            }
        }
        if (deleted) {
            // The interrupt that woke this thread has done its work, and would break the request.
            Thread.interrupted();
            remove();
        }
    }

    private void runOnce() throws Exception {
        renewTokenIfDue();
        try (PodRuntime.RunningPod running = runtime.start(bound)) {
            reported = null;
            while (!ended && running.isAlive()) {
                report(running.isReady());
                renewTokenIfDue();
                pause(PROBE_PERIOD);
            }
        }
        if (!ended) {
            throw new IllegalStateException("the program ended by itself");
        }
    }

    private void report(boolean ready) {
        Boolean told = reported;
        if (told != null && told == ready) {
            return;
        }
        try {
            api.reportPod(PodStatuses.running(bound.pod(), bound.node().internalIp(), ready, api.now()));
            reported = ready;
        } catch (KubernetesClientException e) {
            // An API server that is away does not end a pod: told at the next look.
            LOG.debug("cannot report pod {}", bound.pod().getMetadata().getName(), e);
        }
    }

    private void reportFailure(Exception failure) {
        try {
            api.reportPod(
                    PodStatuses.failedToStart(bound.pod(), bound.node().internalIp(), failure.toString(), api.now()));
        } catch (KubernetesClientException e) {
            LOG.debug("cannot report pod {}", bound.pod().getMetadata().getName(), e);
        }
    }

    private void remove() {
        try {
            api.removePod(bound.pod());
        } catch (KubernetesClientException e) {
            LOG.warn("cannot remove pod {}: {}", bound.pod().getMetadata().getName(), e.getMessage());
        }
    }

    private void renewTokenIfDue() throws IOException, InterruptedException {
        Instant now = clock.instant();
        if (now.isBefore(renewTokenAt)) {
            return;
        }
        var token = api.requestToken(bound.pod());
        Path file = bound.tokenFile();
        Files.createDirectories(file.resolveSibling(""));
        Path fresh = file.resolveSibling("token.new");
        Files.writeString(fresh, token.getStatus().getToken());
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Duration life = Duration.between(now, Instant.parse(token.getStatus().getExpirationTimestamp()));
        renewTokenAt = now.plusMillis((long) (life.toMillis() * RENEW_AT));
    }

    private void pause(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            // Only end() interrupts, and it has set the flag that every loop looks at.
            return;
        }
    }
}
