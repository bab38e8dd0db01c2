/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.cluster.ApiReader;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the Jobs that control pods, of whatever kind, and what is behind them, such as JobSets: once for all pods of a Job, within a deadline. What is
 * made of a Job is kept for a while; what could not be read is an error and is asked for again.
 *
 * @param <T> what is made of a Job
 */
public final class OwnerReader<T> {
    /** Pods of a Job that is gone, and pods that lie, cost a read in this time. */
    private static final Duration ABSENCE_KEPT = Duration.ofSeconds(2);

    private final ApiReader reader;
    private final SteadyClock clock;
    private final Duration deadline;
    private final int most;
    private final Parser<T> parser;
    private final Map<Reference, Read<T>> reads = new LinkedHashMap<>(16, 0.75f, true);

    /** Makes of a Job what is kept of it. */
    public interface Parser<T> {
        /**
         * @param owner as the API server has it; its UID is that of {@code reference}
         * @return {@code null} where it is as if there were no such object
         */
        @Nullable
        T parse(String namespace, OwnerRef reference, JsonNode owner, Lookup others)
                throws IOException, InterruptedException;
    }

    /** Reads another owner of the same namespace within the time that is left. */
    public interface Lookup {
        /** @return {@code null} where the very object does not exist */
        @Nullable
        JsonNode get(OwnerRef owner) throws IOException, InterruptedException;
    }

    private record Reference(String namespace, OwnerRef job) {}

    private record Read<T>(FutureTask<@Nullable T> job, Instant begun) {
        boolean isAbsent() {
            return job.state() == FutureTask.State.SUCCESS && job.resultNow() == null;
        }
    }

    /**
     * @param deadline for a Job together with what its parser looks up
     * @param most Jobs that are kept; the one that was asked for longest ago goes first
     */
    public OwnerReader(ApiReader reader, SteadyClock clock, Duration deadline, int most, Parser<T> parser) {
        this.reader = reader;
        this.clock = clock;
        this.deadline = deadline;
        this.most = most;
        this.parser = parser;
    }

    /**
     * What is made of a Job. One thread reads it, the others that need it wait for that.
     *
     * @param kept how old it may be
     * @return {@code null} where the very Job does not exist
     * @throws IOException where the API server does not say it in time
     */
    public @Nullable T read(String namespace, OwnerRef job, Duration kept) throws IOException, InterruptedException {
        Reference reference = new Reference(namespace, job);
        Read<T> mine;
        synchronized (reads) {
            Instant now = clock.instant();
            Read<T> known = reads.get(reference);
            if (known != null && now.isBefore(known.begun().plus(known.isAbsent() ? ABSENCE_KEPT : kept))) {
                mine = known;
            } else {
                mine = new Read<>(new FutureTask<>(() -> parsed(reference)), now);
                reads.put(reference, mine);
                if (reads.size() > most) {
                    reads.remove(reads.keySet().iterator().next());
                }
            }
        }
        // Does nothing where another thread has begun it.
        mine.job().run();
        try {
            return mine.job().get();
        } catch (ExecutionException e) {
            synchronized (reads) {
                reads.remove(reference, mine);
            }
            throw new IOException(
                    e.getCause() instanceof IOException read ? read.getMessage() : String.valueOf(e.getCause()), e);
        }
    }

    /** What is made of a Job that somebody has read before, else {@code null}. */
    @Nullable
    T known(String namespace, OwnerRef job) {
        Read<T> read;
        synchronized (reads) {
            read = reads.get(new Reference(namespace, job));
        }
        return read == null || read.job().state() != FutureTask.State.SUCCESS
                ? null
                : read.job().resultNow();
    }

    /**
     * An owner as it is now.
     *
     * @return {@code null} where the very object does not exist
     * @throws IOException where the API server does not say it in time
     */
    @Nullable
    JsonNode get(String namespace, OwnerRef owner) throws IOException, InterruptedException {
        try (ApiReader.Held held = reader.hold()) {
            return get(held, namespace, owner, System.nanoTime() + deadline.toNanos());
        }
    }

    private @Nullable T parsed(Reference reference) throws IOException, InterruptedException {
        String namespace = reference.namespace();
        long end = System.nanoTime() + deadline.toNanos();
        try (ApiReader.Held held = reader.hold()) {
            JsonNode job = get(held, namespace, reference.job(), end);
            return job == null
                    ? null
                    : parser.parse(namespace, reference.job(), job, owner -> get(held, namespace, owner, end));
        }
    }

    /**
     * A Job of Kubernetes that an owner has made.
     *
     * @return {@code null} where there is none of the name that the very owner controls
     * @throws IOException where the API server does not say it in time
     */
    @Nullable
    JsonNode getJob(String namespace, OwnerRef owner, String name) throws IOException, InterruptedException {
        try (ApiReader.Held held = reader.hold()) {
            JsonNode found = get(
                    held,
                    ApiReader.ObjectPath.of(IndexedJobs.API_VERSION, IndexedJobs.KIND.plural(), namespace, name),
                    System.nanoTime() + deadline.toNanos());
            OwnerRef controller = found == null ? null : OwnerRef.controller(found);
            return controller != null && owner.uid().equals(controller.uid()) ? found : null;
        }
    }

    private @Nullable JsonNode get(ApiReader.Held held, String namespace, OwnerRef owner, long end)
            throws IOException, InterruptedException {
        OwnerKind kind = OwnerKind.of(owner);
        // The leader of a group controls what makes its workers.
        String plural = kind != null ? kind.plural() : owner.isPod() ? "pods" : null;
        JsonNode found = plural == null
                ? null
                : get(held, ApiReader.ObjectPath.of(owner.apiVersion(), plural, namespace, owner.name()), end);
        // Not another one of the same name.
        return found != null && owner.uid().equals(found.at("/metadata/uid").textValue()) ? found : null;
    }

    private @Nullable JsonNode get(ApiReader.Held held, ApiReader.@Nullable ObjectPath path, long end)
            throws IOException, InterruptedException {
        if (path == null) {
            return null;
        }
        try {
            return held.get(path, Duration.ofNanos(end - System.nanoTime()));
        } catch (TimeoutException e) {
            throw new IOException(path.path() + " was not read within " + deadline.toMillis() + " ms", e);
        }
    }
}
