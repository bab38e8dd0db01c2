/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.crds.LaunchApi;
import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Which pod a token was made for: the API server's word, nothing that the caller says. A token for another audience, or one
 * that is not bound to a pod, is worth nothing here.
 *
 * <p>A good answer is kept for a while, by the token's digest, and no longer than its pod lives.
 *
 * @see "KEP-1205 bound service account tokens; extra fields authentication.kubernetes.io/pod-name and pod-uid"
 */
final class PodTokens {
    private static final int LONGEST_TOKEN = 8192;
    private static final int KEPT = 65_536;
    private static final String POD_NAME = "authentication.kubernetes.io/pod-name";
    private static final String POD_UID = "authentication.kubernetes.io/pod-uid";
    private static final String USER = "system:serviceaccount:";

    private final KubernetesClient client;
    private final Clock clock;
    private final Duration believed;
    private final Semaphore reviews;
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    /** What a token proves. */
    record BoundPod(String namespace, String name, String uid) {}

    private record Known(BoundPod pod, Instant until) {}

    PodTokens(KubernetesClient client, Clock clock, Duration believed, int reviews) {
        this.client = client;
        this.clock = clock;
        this.believed = believed;
        this.reviews = new Semaphore(reviews);
    }

    /** @throws JobRefusedException 401 for a token that proves no pod, 503 where the API server does not answer */
    BoundPod prove(@Nullable String token) throws JobRefusedException, InterruptedException {
        if (token == null || token.isEmpty() || token.length() > LONGEST_TOKEN) {
            throw JobRefusedException.of(
                    401, "a bearer token of the audience " + LaunchApi.TOKEN_AUDIENCE + " is needed");
        }
        String digest = digest(token);
        Known before = known.get(digest);
        if (before != null && clock.instant().isBefore(before.until())) {
            return before.pod();
        }
        BoundPod pod = review(token);
        if (known.size() >= KEPT) {
            known.clear();
        }
        known.put(digest, new Known(pod, clock.instant().plus(believed)));
        return pod;
    }

    /** A pod is gone, and its token with it. */
    void forget(String podUid) {
        known.values().removeIf(kept -> kept.pod().uid().equals(podUid));
    }

    private BoundPod review(String token) throws JobRefusedException, InterruptedException {
        TokenReview asked = new TokenReviewBuilder()
                .withNewSpec()
                .withToken(token)
                .withAudiences(LaunchApi.TOKEN_AUDIENCE)
                .endSpec()
                .build();
        reviews.acquire();
        try {
            TokenReviewStatus status = client.resource(asked).create().getStatus();
            if (status == null
                    || !Boolean.TRUE.equals(status.getAuthenticated())
                    || status.getAudiences() == null
                    || !status.getAudiences().contains(LaunchApi.TOKEN_AUDIENCE)) {
                throw JobRefusedException.of(
                        401, "the token is not valid for the audience " + LaunchApi.TOKEN_AUDIENCE);
            }
            String user = status.getUser().getUsername();
            String name = only(status, POD_NAME);
            String uid = only(status, POD_UID);
            if (user == null || !user.startsWith(USER) || name == null || uid == null) {
                throw JobRefusedException.of(401, "the token is not bound to a pod");
            }
            return new BoundPod(user.substring(USER.length()).split(":", 2)[0], name, uid);
        } catch (KubernetesClientException e) {
            throw new JobRefusedException(JobResponse.later("the API server could not review the token"));
        } finally {
            reviews.release();
        }
    }

    private static @Nullable String only(TokenReviewStatus status, String key) {
        Map<String, List<String>> extra = status.getUser().getExtra();
        List<String> values = extra == null ? null : extra.get(key);
        return values == null || values.size() != 1 ? null : values.getFirst();
    }

    private static String digest(String token) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
