/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ServerProcessTest {
    // A restart waits for the lock of whoever is ending the next server: no number of them may keep that from seeing
    // its end.
    @Test
    @Timeout(value = 480, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void killReturnsWhileWhatFollowsOtherEndsWaits(@TempDir Path directory) throws InterruptedException {
        int waiting =
                ForkJoinPool.getCommonPoolParallelism() + Runtime.getRuntime().availableProcessors();
        CountDownLatch reached = new CountDownLatch(waiting);
        CountDownLatch release = new CountDownLatch(1);
        try (ServerProcess last = sleeping(directory)) {
            for (int i = 0; i < waiting; i++) {
                ServerProcess ended = sleeping(directory);
                ended.afterEnd(Duration.ZERO, () -> {
                    reached.countDown();
                    awaitQuietly(release);
                });
                ended.kill();
            }
            assertThat(reached.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();

            last.kill();

            assertThat(last.isAlive()).isFalse();
        } finally {
            release.countDown();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ServerProcess sleeping(Path directory) {
        return ServerProcess.start("sleep", List.of("sleep", "300"), Map.of(), directory.resolve("log"));
    }
}
