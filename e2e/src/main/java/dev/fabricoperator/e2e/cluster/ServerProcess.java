/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A server that runs as a process of its own, with its output in a file.
 *
 * It ends with {@link #stop} or {@link #kill}, and at the latest with this JVM, however that ends.
 */
public final class ServerProcess implements AutoCloseable {
    private static final int TAIL_BYTES = 4_000;

    private final String name;
    private final Process process;
    private final Path log;

    private ServerProcess(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
    }

    /**
     * Starts the program; its output is appended to the log.
     *
     * @param environment set in addition to this JVM's, whose Kubernetes variables are taken away
     */
    public static ServerProcess start(String name, List<String> command, Map<String, String> environment, Path log) {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        // A cluster that the user happens to have chosen must not leak in.
        builder.environment().keySet().removeIf(key -> key.equals("KUBECONFIG") || key.startsWith("KUBERNETES_"));
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            process.outputWriter().close();
            Watchdog.get().watch(process.pid());
            return new ServerProcess(name, process, log);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + command.getFirst(), e);
        }
    }

    public String name() {
        return name;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public Path log() {
        return log;
    }

    /** Waits until the condition holds; gives up when the process ends or the time is over, and then tells the end of the log. */
    public void awaitReady(BooleanSupplier ready, Duration limit) {
        await("was not ready", ready, limit);
    }

    /**
     * As {@link #awaitReady}, for whatever the process does.
     *
     * @param failure said of the process where the time is over, as "was not ready"
     */
    public void await(String failure, BooleanSupplier condition, Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (!process.isAlive()) {
                throw new ServerFailedException(name + " ended with code " + process.exitValue(), log, logTail());
            }
            if (System.nanoTime() > deadline) {
                throw new ServerFailedException(
                        name + " " + failure + " within " + limit.toSeconds() + " s", log, logTail());
            }
            sleep(Duration.ofMillis(50));
        }
    }

    /** Runs the action once, on another thread and after the delay, when the process has ended, for whatever reason. */
    void afterEnd(Duration delay, Runnable action) {
        // A thread of its own: the action may wait, and the few threads of the common pool also tell of ended
        // processes.
        Thread.ofVirtual().name("after " + name).start(() -> {
            awaitEnd();
            sleep(delay);
            action.run();
        });
    }

    /** Asks the process to end, and kills it when it takes longer than the grace. */
    public void stop(Duration grace) {
        process.destroy();
        try {
            if (!process.waitFor(grace.toMillis(), TimeUnit.MILLISECONDS)) {
                kill();
            }
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        }
        Watchdog.get().forget(process.pid());
    }

    /** As a crash would end it; returns when it is gone. */
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
        Watchdog.get().forget(process.pid());
    }

    @Override
    public void close() {
        stop(Duration.ofSeconds(10));
    }

    /** The last lines of the log, for a message about a failure. */
    public String logTail() {
        try {
            byte[] all = Files.readAllBytes(log);
            int from = Math.max(0, all.length - TAIL_BYTES);
            return new String(all, from, all.length - from, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "(log cannot be read: " + e.getMessage() + ")";
        }
    }

    // Not given up on interruption: the data directory goes next.
    private void awaitEnd() {
        boolean interrupted = false;
        while (true) {
            try {
                process.waitFor();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    static void sleep(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a server", e);
        }
    }
}
