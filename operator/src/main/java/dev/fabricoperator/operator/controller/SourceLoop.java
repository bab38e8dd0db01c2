/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.controller.source.TopologySources;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Reads topology sources when a ConfigMap changed, and every few seconds for files and for what was removed. */
@ApplicationScoped
public class SourceLoop {
    private static final Logger LOG = Logger.getLogger(SourceLoop.class);
    /** Parts of one upload arrive together. */
    private static final Duration QUIET = Duration.ofMillis(200);

    private final TopologySources sources;
    private final Duration interval;
    private final Semaphore wakes = new Semaphore(0);
    private final CountDownLatch firstRound = new CountDownLatch(1);
    private @Nullable Thread thread;

    SourceLoop(TopologySources sources, Settings settings) {
        this.sources = sources;
        this.interval = settings.sourcePollInterval();
    }

    /** Begins; the informers are in step by now. */
    void start() {
        sources.listenForWork(this::wake);
        thread = Thread.ofVirtual().name("sources").start(this::run);
    }

    void wake() {
        wakes.release();
    }

    /** Waits until everything that was there at the beginning has been looked at once. */
    void awaitFirstRound() throws InterruptedException {
        firstRound.await();
    }

    private void run() {
        try {
            while (true) {
                try {
                    sources.refresh();
                    firstRound.countDown();
                } catch (KubernetesClientException e) {
                    LOG.warnf("topology sources are looked at again: %s", e.getMessage());
                }
                if (wakes.tryAcquire(interval.toMillis(), TimeUnit.MILLISECONDS)) {
                    Thread.sleep(QUIET);
                    wakes.drainPermits();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @PreDestroy
    void stop() {
        if (thread != null) {
            thread.interrupt();
        }
    }
}
