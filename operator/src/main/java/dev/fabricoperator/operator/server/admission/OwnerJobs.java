/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The Jobs that pods are made for, and the JobSets behind them: read once for all pods of a job, and never waited for longer than a pod can wait.
 */
final class OwnerJobs {
    private static final Logger LOG = Logger.getLogger(OwnerJobs.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration KEPT = Duration.ofSeconds(30);
    private static final int MOST = 1024;

    private final KubernetesClient client;
    private final Executor threads;
    private final Clock clock;
    private final Duration wait;
    private final LinkedHashMap<String, Asked> asked = new LinkedHashMap<>();

    private record Asked(CompletableFuture<@Nullable OwnerSpecs> facts, Instant until) {}

    OwnerJobs(KubernetesClient client, Executor threads, Clock clock, Duration wait) {
        this.client = client;
        this.threads = threads;
        this.clock = clock;
        this.wait = wait;
    }

    /** What the pod's Job says; {@code null} for a pod without one, or where that is not known in time. */
    @Nullable
    OwnerSpecs of(String namespace, JsonNode pod) {
        JsonNode owner = Launchable.owner(pod);
        String name = owner.path("name").asText();
        if (!Launchable.isJob(owner) || name.isEmpty()) {
            return null;
        }
        try {
            return ask(namespace, name, owner.path("uid").asText()).get(wait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.infof("Job %s/%s is not known in time; its pod is decided without it", namespace, name);
        } catch (ExecutionException e) {
            LOG.warnf("Job %s/%s cannot be read; its pod is decided without it: %s", namespace, name, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    private synchronized CompletableFuture<@Nullable OwnerSpecs> ask(String namespace, String name, String uid) {
        Instant now = clock.instant();
        asked.values()
                .removeIf(each -> each.until().isBefore(now) || each.facts().isCompletedExceptionally());
        Asked before = asked.get(namespace + "/" + uid);
        if (before != null) {
            return before.facts();
        }
        if (asked.size() >= MOST) {
            asked.pollFirstEntry();
        }
        CompletableFuture<@Nullable OwnerSpecs> facts =
                CompletableFuture.supplyAsync(() -> read(namespace, name, uid), threads);
        asked.put(namespace + "/" + uid, new Asked(facts, now.plus(KEPT)));
        return facts;
    }

    private @Nullable OwnerSpecs read(String namespace, String name, String uid) {
        JsonNode job = get("/apis/batch/v1/namespaces/" + namespace + "/jobs/" + name);
        if (job == null || !job.at("/metadata/uid").asText().equals(uid)) {
            return null;
        }
        JsonNode owner = Launchable.owner(job);
        boolean isJobSet = owner.path("kind").asText().equals("JobSet")
                && owner.path("apiVersion").asText().startsWith("jobset.x-k8s.io/");
        return new OwnerSpecs(
                job,
                isJobSet
                        ? get("/apis/" + owner.path("apiVersion").asText() + "/namespaces/" + namespace + "/jobsets/"
                                + owner.path("name").asText())
                        : null);
    }

    private @Nullable JsonNode get(String path) {
        try {
            String text = client.raw(path);
            return text == null ? null : JSON.readTree(text);
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return null;
            }
            throw e;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the API server answers in JSON", e);
        }
    }
}
