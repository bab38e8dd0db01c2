/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Every {@link GuardedLoop} of the process: where loops are started, counted and asked how they are. */
@Singleton
public class GuardedLoops {
    private final MeterRegistry meters;
    private final Backoff backoff;
    private final Set<GuardedLoop> loops = ConcurrentHashMap.newKeySet();

    @Inject
    public GuardedLoops(MeterRegistry meters) {
        this(meters, GuardedLoop.USUAL);
    }

    GuardedLoops(MeterRegistry meters, Backoff backoff) {
        this.meters = meters;
        this.backoff = backoff;
    }

    /**
     * Starts a loop on a virtual thread.
     *
     * @param name of the thread, in the log and as the label {@code loop} of the metric; one of a fixed few
     */
    public GuardedLoop start(String name, GuardedLoop.Step step) {
        return start(name, Thread.ofVirtual(), step);
    }

    /** As {@link #start}, for a loop that computes for long: it must not keep a carrier from the virtual threads. */
    public GuardedLoop startPlatform(String name, GuardedLoop.Step step) {
        return start(name, Thread.ofPlatform().daemon(true), step);
    }

    private GuardedLoop start(String name, Thread.Builder builder, GuardedLoop.Step step) {
        Counter failures = Counter.builder("fabric_operator_loop_failures")
                .description("Steps of a background loop that failed and are tried again")
                .tag("loop", name)
                .register(meters);
        GuardedLoop loop = new GuardedLoop(name, builder, step, backoff, failures, loops::remove);
        loop.start();
        loops.add(loop);
        return loop;
    }

    /** Why the process should be started anew, {@code null} while every loop does its work. */
    public @Nullable String failure() {
        return loops.stream()
                .map(GuardedLoop::failure)
                .filter(Objects::nonNull)
                .sorted()
                .findFirst()
                .orElse(null);
    }

    @PreDestroy
    void stop() {
        List.copyOf(loops).forEach(GuardedLoop::stop);
    }
}
