/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GuardedLoopTest {
    private static final int STEPS = 3 * GuardedLoop.FATAL_FAILURES;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final GuardedLoops loops = new GuardedLoops(meters, new Backoff(Duration.ofNanos(1), Duration.ofNanos(1)));

    /** Steps so often, with what each throws; then waits to be stopped. */
    private static final class Steps implements GuardedLoop.Step {
        private final AtomicInteger number = new AtomicInteger();
        private final CountDownLatch done = new CountDownLatch(1);
        private final List<Throwable> failures;

        Steps(List<Throwable> failures) {
            this.failures = failures;
        }

        @Override
        public void run() throws Exception {
            int step = number.getAndIncrement();
            if (step < failures.size()) {
                switch (failures.get(step)) {
                    case Error error -> throw error;
                    case Exception exception -> throw exception;
                    default -> throw new IllegalStateException("neither error nor exception");
                }
            }
            done.countDown();
            Thread.sleep(Duration.ofHours(1));
        }
    }

    @AfterEach
    void stop() {
        loops.stop();
    }

    @Test
    void goesOnAfterExceptionsAndErrorsAndCountsThem() throws Exception {
        Steps steps = new Steps(List.of(
                new IllegalStateException("a defect"), new StackOverflowError("deep"), new Exception("checked")));
        loops.start("steps", steps);
        steps.done.await();
        assertThat(meters.counter("fabric_operator_loop_failures", "loop", "steps")
                        .count())
                .isEqualTo(3);
        assertThat(loops.failure()).isNull();
    }

    @Test
    void isNotAliveAfterManyDefectsInARow() throws Exception {
        CountDownLatch often = new CountDownLatch(STEPS);
        loops.start("steps", () -> {
            often.countDown();
            throw new IllegalStateException("a defect");
        });
        often.await();
        assertThat(loops.failure()).contains("steps has failed", "times in a row", "a defect");
    }

    @Test
    void staysAliveHoweverLongTheApiServerIsAway() throws Exception {
        Steps steps = new Steps(Collections.nCopies(STEPS, new KubernetesClientException("away")));
        AtomicReference<@Nullable String> failure = new AtomicReference<>();
        loops.start("steps", () -> {
            if (failure.get() == null) {
                failure.set(loops.failure());
            }
            steps.run();
        });
        steps.done.await();
        assertThat(failure.get()).isNull();
    }

    @Test
    void anInterruptByAnybodyElseDoesNotEndIt() throws Exception {
        CountDownLatch again = new CountDownLatch(2);
        AtomicReference<Thread> thread = new AtomicReference<>();
        loops.start("steps", () -> {
            thread.set(Thread.currentThread());
            again.countDown();
            if (again.getCount() > 0) {
                Thread.currentThread().interrupt();
            }
            Thread.sleep(Duration.ofHours(1));
        });
        again.await();
        assertThat(thread.get().isAlive()).isTrue();
    }

    @Test
    void stopEndsItsThreadWhichCountsAsWell() throws Exception {
        Steps steps = new Steps(List.of());
        AtomicReference<Thread> thread = new AtomicReference<>();
        GuardedLoop loop = loops.start("steps", () -> {
            thread.set(Thread.currentThread());
            steps.run();
        });
        steps.done.await();
        loop.stop();
        thread.get().join();
        assertThat(loops.failure()).isNull();
    }

    @Test
    void waitsLongerAfterEachFailureWithARandomPartAndABound() {
        Backoff backoff = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(30));
        List<Duration> waits = new ArrayList<>();
        for (int failures = 1; failures <= 1000; failures++) {
            waits.add(backoff.after(failures));
        }
        assertThat(waits.getFirst()).isBetween(Duration.ofMillis(250), Duration.ofMillis(500));
        assertThat(waits.get(2)).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
        assertThat(waits.subList(7, 1000))
                .allSatisfy(wait -> assertThat(wait).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(30)))
                .doesNotHaveDuplicates();
    }
}
