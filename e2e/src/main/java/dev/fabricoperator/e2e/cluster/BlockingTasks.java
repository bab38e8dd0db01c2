/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Runs what waits, for a process or a server, on threads of its own.
 *
 * Not on the common pool: on two cores that has a single thread, and the JDK's HTTP client completes every asynchronous answer there (JDK 25,
 * {@code HttpClientImpl.sendAsync}). A task that blocks it keeps all Kubernetes clients of the JVM from their answers until they time out.
 */
public final class BlockingTasks {
    private static final Executor THREADS =
            task -> Thread.ofPlatform().daemon().name("blocking task").start(task);

    private BlockingTasks() {}

    public static <T> CompletableFuture<T> start(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, THREADS);
    }

    public static CompletableFuture<Void> start(Runnable task) {
        return CompletableFuture.runAsync(task, THREADS);
    }

    /**
     * Runs all side by side and returns when the last one has ended.
     *
     * @throws RuntimeException that of the first task that failed
     */
    public static void runAll(Collection<? extends Runnable> tasks) {
        CompletableFuture<?>[] started =
                tasks.stream().map(BlockingTasks::start).toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(started).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
