/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class GuardedThreadTest {
    private final List<String> lines = new ArrayList<>();
    private final AtomicInteger steps = new AtomicInteger();

    private GuardedThread thread(GuardedThread.Step step) {
        return new GuardedThread(
                "reader", step, new RateLimitedLog(lines::add, System::nanoTime), new Backoff(1, 1, new Random(1)));
    }

    @Test
    void aFaultIsALineAndTheNextStepFollows() {
        thread(() -> {
                    if (steps.incrementAndGet() % 2 == 1) {
                        throw new IllegalStateException("no such state");
                    }
                    return steps.get() < 20;
                })
                .run();
        assertThat(steps).hasValue(20);
        assertThat(lines).hasSize(10).allMatch(line -> line.startsWith("reader: a fault") && line.contains("no such"));
    }

    @Test
    void faultsWithoutEndGoToTheDefaultHandler() {
        GuardedThread thread = thread(() -> {
            steps.incrementAndGet();
            throw new IllegalStateException("no such state");
        });
        assertThatThrownBy(thread::run).isInstanceOf(IllegalStateException.class);
        assertThat(steps).hasValue(GuardedThread.MAX_FAULTS);
    }

    @Test
    void whatMayBeOverInAMomentIsTriedWithoutEnd() {
        thread(() -> {
                    if (steps.incrementAndGet() < 50) {
                        throw new IOException("no descriptors");
                    }
                    return false;
                })
                .run();
        assertThat(steps).hasValue(50);
        assertThat(lines).contains("reader: no descriptors");
    }
}
