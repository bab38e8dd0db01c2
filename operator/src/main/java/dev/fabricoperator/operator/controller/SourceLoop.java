/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import dev.fabricoperator.operator.Settings;
import dev.fabricoperator.operator.cluster.GuardedLoop;
import dev.fabricoperator.operator.cluster.GuardedLoops;
import dev.fabricoperator.operator.controller.source.TopologySources;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads topology sources when a ConfigMap changed, and every few seconds for files and for what was removed. */
@ApplicationScoped
public class SourceLoop {
    /** Parts of one upload arrive together. */
    private static final Duration QUIET = Duration.ofMillis(200);

    private final TopologySources sources;
    private final Duration interval;
    private final Semaphore wakes = new Semaphore(0);
    private final CountDownLatch firstRound = new CountDownLatch(1);
    private final GuardedLoops loops;
    private volatile @Nullable GuardedLoop loop;

    SourceLoop(TopologySources sources, Settings settings, GuardedLoops loops) {
        this.loops = loops;
        this.sources = sources;
        this.interval = settings.sourcePollInterval();
    }

    /** Begins; the informers are in step by now. */
    void start() {
        sources.listenForWork(this::wake);
        loop = loops.start("sources", this::refreshAndWait);
    }

    void wake() {
        wakes.release();
    }

    /** Waits until everything that was there at the beginning has been looked at once. */
    void awaitFirstRound() throws InterruptedException {
        firstRound.await();
    }

    private void refreshAndWait() throws InterruptedException {
        sources.refresh();
        firstRound.countDown();
        if (wakes.tryAcquire(interval.toMillis(), TimeUnit.MILLISECONDS)) {
            Thread.sleep(QUIET);
            wakes.drainPermits();
        }
    }

    @PreDestroy
    void stop() {
        GuardedLoop running = loop;
        if (running != null) {
            running.stop();
        }
    }
}
