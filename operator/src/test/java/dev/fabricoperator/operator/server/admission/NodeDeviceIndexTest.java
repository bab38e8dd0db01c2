/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.HandMovedClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class NodeDeviceIndexTest {
    private final HandMovedClock clock = new HandMovedClock(Instant.EPOCH);
    private final AtomicInteger sorted = new AtomicInteger();

    @Test
    void manyBindingsAtOnceSortTheDevicesOnceAndNoneWaitsForIt() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        NodeDeviceIndex index = new NodeDeviceIndex(
                () -> {
                    if (sorted.incrementAndGet() > 1) {
                        begun.countDown();
                        awaitUninterruptibly(go);
                    }
                    return Map.of();
                },
                clock);
        index.of("n");
        clock.move(Duration.ofSeconds(2));
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            CompletableFuture<Void> first = CompletableFuture.runAsync(() -> index.of("n"), threads);
            begun.await();
            List<CompletableFuture<Void>> others = List.of(
                    CompletableFuture.runAsync(() -> index.of("n"), threads),
                    CompletableFuture.runAsync(() -> index.of("m"), threads));
            for (CompletableFuture<Void> other : others) {
                other.get(60, TimeUnit.SECONDS);
            }
            go.countDown();
            first.get(60, TimeUnit.SECONDS);
        }
        index.of("n");
        assertThat(sorted).hasValue(2);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
