/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.operator.cluster.ApiReader;
import dev.fabricoperator.operator.cluster.ApiReader.ObjectPath;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The Jobs that pods are made for, and the JobSets behind them: read once for all pods of a job, and never waited for longer than a pod can wait.
 * What is not known in time is an error and no answer: pods of one job must not be decided by different facts.
 */
final class OwnerJobs {
    private static final Duration KEPT = Duration.ofSeconds(30);
    private static final int MOST = 1024;
    /** Kubernetes makes UIDs of 36 characters; they are kept, and whoever reaches the port can send others. */
    private static final int LONGEST_UID = 64;

    private final ApiReader reader;
    private final Clock clock;
    private final Duration wait;
    private final LinkedHashMap<String, Reading> readings = new LinkedHashMap<>();

    private record Reading(CompletableFuture<@Nullable OwnerSpecs> specs, Instant until) {}

    OwnerJobs(ApiReader reader, Clock clock, Duration wait) {
        this.reader = reader;
        this.clock = clock;
        this.wait = wait;
    }

    /**
     * What the pod's Job says.
     *
     * @return {@code null} for a pod without one
     * @throws IOException where the API server does not say it in time
     */
    @Nullable
    OwnerSpecs of(String namespace, JsonNode pod) throws IOException {
        JsonNode owner = Launchable.owner(pod);
        String uid = owner.path("uid").asText();
        ObjectPath job = Launchable.isJob(owner) ? path(owner, "jobs", namespace) : null;
        if (job == null || uid.length() > LONGEST_UID) {
            return null;
        }
        CompletableFuture<@Nullable OwnerSpecs> mine = new CompletableFuture<>();
        CompletableFuture<@Nullable OwnerSpecs> first = join(job.path() + "?" + uid, mine);
        try {
            if (first == mine) {
                read(namespace, job, uid, mine);
            }
            return first.get(wait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException(job.path() + " was not read within " + wait.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw new IOException(job.path() + " was not read: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("this replica ends", e);
        }
    }

    /** The reading that another pod of the job has begun, or {@code mine}. */
    private synchronized CompletableFuture<@Nullable OwnerSpecs> join(
            String key, CompletableFuture<@Nullable OwnerSpecs> mine) {
        Instant now = clock.instant();
        readings.values()
                .removeIf(each -> each.until().isBefore(now) || each.specs().isCompletedExceptionally());
        Reading before = readings.get(key);
        if (before != null) {
            return before.specs();
        }
        if (readings.size() >= MOST) {
            readings.pollFirstEntry();
        }
        readings.put(key, new Reading(mine, now.plus(KEPT)));
        return mine;
    }

    private void read(String namespace, ObjectPath path, String uid, CompletableFuture<@Nullable OwnerSpecs> result)
            throws InterruptedException {
        long end = System.nanoTime() + wait.toNanos();
        try {
            JsonNode job = reader.get(path, wait);
            result.complete(
                    job == null || !hasUid(job, uid)
                            ? null
                            : OwnerSpecs.of(job, jobSet(namespace, job, Duration.ofNanos(end - System.nanoTime()))));
        } catch (IOException | TimeoutException | InterruptedException | RuntimeException e) {
            result.completeExceptionally(e);
            if (e instanceof InterruptedException interrupted) {
                throw interrupted;
            }
        }
    }

    private @Nullable JsonNode jobSet(String namespace, JsonNode job, Duration left)
            throws IOException, TimeoutException, InterruptedException {
        JsonNode owner = Launchable.owner(job);
        boolean isJobSet = owner.path("kind").asText().equals("JobSet")
                && owner.path("apiVersion").asText().startsWith("jobset.x-k8s.io/");
        ObjectPath path = isJobSet ? path(owner, "jobsets", namespace) : null;
        JsonNode jobSet = path == null ? null : reader.get(path, left);
        return jobSet != null && hasUid(jobSet, owner.path("uid").asText()) ? jobSet : null;
    }

    private static @Nullable ObjectPath path(JsonNode owner, String plural, String namespace) {
        return ObjectPath.of(
                owner.path("apiVersion").asText(),
                plural,
                namespace,
                owner.path("name").asText());
    }

    /** Not another one of the same name. */
    private static boolean hasUid(JsonNode object, String uid) {
        return object.at("/metadata/uid").asText().equals(uid);
    }
}
