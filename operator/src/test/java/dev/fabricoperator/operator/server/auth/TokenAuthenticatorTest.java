/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.operator.HandMovedClock;
import dev.fabricoperator.operator.server.query.QuerySettings;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Against a server that counts TokenReviews and answers them when it is told: a real API server can neither count nor wait. */
@Timeout(120)
class TokenAuthenticatorTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String AUDIENCE = "jobs.example";
    private static final String POD = "10.0.0.1";
    private static final String STRANGER = "10.0.0.66";
    private static final Duration BELIEVED = Duration.ofMinutes(5);

    private final HandMovedClock clock = new HandMovedClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final List<JsonNode> reviews = new CopyOnWriteArrayList<>();
    private final AtomicInteger atOnce = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private final Semaphore answers = new Semaphore(Integer.MAX_VALUE / 2);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    /** Not virtual ones: those share the machine's few carriers with all other tests of this process. */
    private final ExecutorService serverThreads = Executors.newCachedThreadPool();

    private HttpServer server;
    private KubernetesClient client;
    private TokenAuthenticator tokens;

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(serverThreads);
        server.createContext("/apis/authentication.k8s.io/v1/tokenreviews", this::review);
        server.start();
        client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(Config.empty())
                        .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort() + "/")
                        // A request that is sent again would be a review too many.
                        .withRequestTimeout(120_000)
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
        tokens = authenticator(AUDIENCE);
    }

    @AfterEach
    void close() {
        answers.release(1000);
        threads.shutdownNow();
        client.close();
        server.stop(0);
        serverThreads.shutdownNow();
    }

    private TokenAuthenticator authenticator(@Nullable String audience) {
        ReviewSettings settings = new SmallRyeConfigBuilder()
                .addDiscoveredConverters()
                .withConverter(Duration.class, 200, new DurationConverter())
                .withMapping(QuerySettings.class)
                .build()
                .getConfigMapping(QuerySettings.class)
                .reviews();
        return new TokenAuthenticator(
                new ReviewClient(client),
                audience,
                BELIEVED,
                Caller::name,
                settings,
                clock,
                clock.steady(),
                new SimpleMeterRegistry());
    }

    /** Tokens whose signature is "good" are valid. */
    private void review(HttpExchange exchange) throws IOException {
        try (exchange) {
            mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            ObjectNode review = (ObjectNode) JSON.readTree(exchange.getRequestBody());
            reviews.add(review);
            answers.acquireUninterruptibly();
            ObjectNode status = review.putObject("status");
            if (review.at("/spec/token").asText().endsWith(".good")) {
                status.put("authenticated", true).set("audiences", review.at("/spec/audiences"));
                status.putObject("user").put("username", "system:serviceaccount:a:b");
            }
            byte[] body = JSON.writeValueAsBytes(review);
            atOnce.decrementAndGet();
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(201, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private void awaitReviews(int count) throws InterruptedException {
        awaitReviews(count, List.of());
    }

    /**
     * Without a core of its own: what is awaited needs it.
     *
     * @param asking what makes the reviews, and should not have ended
     */
    private void awaitReviews(int count, List<Future<?>> asking) throws InterruptedException {
        Instant end = Instant.now().plusSeconds(50);
        while (reviews.size() < count) {
            assertThat(Instant.now())
                    .as(
                            "%d of %d reviews; ended: %s",
                            reviews.size(),
                            count,
                            asking.stream().filter(Future::isDone).toList())
                    .isBefore(end);
            Thread.sleep(1);
        }
    }

    private String token(String audience, long expires, String signature) {
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        String claims =
                "{\"aud\":[\"" + audience + "\"],\"exp\":" + expires + ",\"jti\":\"" + UUID.randomUUID() + "\"}";
        return encoder.encodeToString("{\"alg\":\"RS256\"}".getBytes(StandardCharsets.UTF_8)) + "."
                + encoder.encodeToString(claims.getBytes(StandardCharsets.UTF_8)) + "." + signature;
    }

    /** Of a service account of that namespace. */
    private String tokenOf(String namespace, String signature) {
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        String claims = "{\"aud\":[\"%s\"],\"exp\":%d,\"jti\":\"%s\",\"kubernetes.io\":{\"namespace\":\"%s\"}}"
                .formatted(AUDIENCE, clock.instant().getEpochSecond() + 3600, UUID.randomUUID(), namespace);
        return encoder.encodeToString("{\"alg\":\"RS256\"}".getBytes(StandardCharsets.UTF_8)) + "."
                + encoder.encodeToString(claims.getBytes(StandardCharsets.UTF_8)) + "." + signature;
    }

    private String token(String signature) {
        return token(AUDIENCE, clock.instant().getEpochSecond() + 3600, signature);
    }

    @Test
    void aValidTokenIsReviewedOnceForItsAudience() throws AccessUnknownException {
        String token = token("good");
        for (int i = 0; i < 3; i++) {
            assertThat(tokens.authenticate(token, POD)).isNotNull();
        }
        assertThat(reviews).hasSize(1);
        assertThat(reviews.getFirst().at("/spec/audiences/0").asText()).isEqualTo(AUDIENCE);
    }

    @Test
    void aValidTokenIsBelievedForAWhileAndNoLongerThanItsPodLives() throws AccessUnknownException {
        String token = token("good");
        tokens.authenticate(token, POD);
        tokens.forget("system:serviceaccount:a:b");
        tokens.authenticate(token, POD);
        clock.move(BELIEVED);
        tokens.authenticate(token, POD);
        assertThat(reviews).hasSize(3);
    }

    @Test
    void aTokenWhosePodGoesWhileItIsReviewedIsNotRemembered() throws Exception {
        String token = token("good");
        answers.drainPermits();
        Future<?> reviewed = threads.submit(() -> tokens.authenticate(token, POD));
        awaitReviews(1);
        tokens.forget("system:serviceaccount:a:b");
        answers.release(1000);
        assertThat(reviewed.get()).isNotNull();
        tokens.authenticate(token, POD);
        assertThat(reviews).hasSize(2);
    }

    @Test
    void invalidTokensOfAnAddressThatComeAtOneTimeAreAllCounted() throws Exception {
        answers.drainPermits();
        List<Future<?>> first = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            first.add(threads.submit(() -> tokens.authenticate(token("bad"), STRANGER)));
        }
        awaitReviews(20);
        answers.release(1000);
        for (Future<?> each : first) {
            each.get();
        }
        mostAtOnce.set(0);
        flood(60);
        assertThat(mostAtOnce).hasValueLessThanOrEqualTo(2);
    }

    @Test
    void anInvalidTokenIsReviewedOnce() throws AccessUnknownException {
        String token = token("bad");
        for (int i = 0; i < 3; i++) {
            assertThat(tokens.authenticate(token, STRANGER)).isNull();
        }
        assertThat(reviews).hasSize(1);
    }

    @Test
    void tokensThatSayThemselvesThatTheyAreOfNoUseAreNotReviewed() throws AccessUnknownException {
        long now = clock.instant().getEpochSecond();
        List<String> useless = List.of(
                "",
                "x",
                "x".repeat(20_000),
                "a b",
                "\u00e4",
                "{}",
                "a.b.c",
                UUID.randomUUID().toString(),
                token("https://kubernetes.default.svc", now + 3600, "good"),
                token(AUDIENCE + "x", now + 3600, "good"),
                token(AUDIENCE, now - 3600, "good"),
                token(AUDIENCE, now + 3600, "good").replace(".good", ""),
                "e30." + token("good").split("\\.", -1)[1] + ".good");
        for (String token : useless) {
            assertThat(tokens.authenticate(token, STRANGER)).as(token).isNull();
        }
        assertThat(tokens.authenticate(null, STRANGER)).isNull();
        assertThat(reviews).isEmpty();
    }

    @Test
    void whereAnyAudienceCountsOnlyWhatHasExpiredIsNotReviewed() throws AccessUnknownException {
        TokenAuthenticator ofApi = authenticator(null);
        long now = clock.instant().getEpochSecond();
        assertThat(ofApi.authenticate(token("other", now - 3600, "good"), POD)).isNull();
        assertThat(reviews).isEmpty();
        assertThat(ofApi.authenticate(token("other", now + 3600, "good"), POD)).isNotNull();
        assertThat(ofApi.authenticate("opaque.good", POD)).isNotNull();
        assertThat(reviews).hasSize(2);
        assertThat(reviews.getFirst().at("/spec/audiences").size()).isZero();
    }

    @Test
    void aTokenThatHasJustExpiredIsTheApiServersToJudge() throws AccessUnknownException {
        assertThat(tokens.authenticate(token(AUDIENCE, clock.instant().getEpochSecond() - 1, "good"), POD))
                .isNotNull();
    }

    @Test
    void randomTokensOfAnAddressAreReviewedTwoAtATimeHoweverManyCome() throws Exception {
        for (int i = 0; i < 20; i++) {
            tokens.authenticate(token("bad" + i), STRANGER);
        }
        mostAtOnce.set(0);
        flood(60);
        assertThat(mostAtOnce).hasValueLessThanOrEqualTo(2);
    }

    @Test
    void podsGetInWhileAStrangersTokensWait() throws Exception {
        for (int i = 0; i < 20; i++) {
            tokens.authenticate(token("bad" + i), STRANGER);
        }
        int before = reviews.size();
        answers.drainPermits();
        for (int i = 0; i < 100; i++) {
            threads.submit(() -> tokens.authenticate(token("bad"), STRANGER));
        }
        awaitReviews(before + 2);
        List<Future<?>> pod = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            pod.add(threads.submit(() -> tokens.authenticate(token("good"), POD)));
        }
        awaitReviews(before + 22, pod);
        assertThat(reviews).as("all of the pods' and two of the stranger's").hasSize(before + 22);
        answers.release(1000);
        for (Future<?> each : pod) {
            assertThat(each.get()).isNotNull();
        }
    }

    /** 64 are reviewed at one time. */
    @Test
    void podsOfALargeJobWaitForTheirReviewsAndThoseOfAnotherNamespaceAreNext() throws Exception {
        answers.drainPermits();
        List<Future<?>> many = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            String token = tokenOf("many", "good");
            many.add(threads.submit(() -> tokens.authenticate(token, POD, Duration.ofMinutes(1))));
        }
        awaitReviews(64, many);
        String few = tokenOf("few", "good");
        Future<?> other = threads.submit(() -> tokens.authenticate(few, POD, Duration.ofMinutes(1)));
        // One after the other, so that it is known whose turn it was.
        while (!other.isDone() && reviews.size() < 1000) {
            answers.release();
            Thread.sleep(2);
        }
        assertThat(reviews.stream().map(review -> review.at("/spec/token").asText()))
                .as("all who had come before, one of many, and this one")
                .contains(few);
        assertThat(reviews.size()).isLessThan(1000);
        answers.release(1000);
        assertThat(other.get()).isNotNull();
        for (Future<?> each : many) {
            assertThat(each.get()).isNotNull();
        }
    }

    /** Which all come before the first one of them has been found invalid, each of another namespace by what it says. */
    @Test
    void aThousandTokensOfAStrangerTakeNoMoreThanTheReviewsThatHaveBegun() throws Exception {
        answers.drainPermits();
        List<Future<?>> flood = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            String token = tokenOf("forged-" + i, "bad");
            flood.add(threads.submit(() -> tokens.authenticate(token, STRANGER, Duration.ofMinutes(1))));
        }
        awaitReviews(64, flood);
        Future<?> pod = threads.submit(() -> tokens.authenticate(tokenOf("few", "good"), POD, Duration.ofMinutes(1)));
        answers.release(2000);
        assertThat(pod.get()).isNotNull();
        assertThat(reviews).as("the pod has not waited for all of them").hasSizeLessThan(300);
    }

    @Test
    void anAddressIsTrustedAgainWhenNoInvalidTokenHasComeForAWhile() throws Exception {
        for (int i = 0; i < 20; i++) {
            tokens.authenticate(token("bad" + i), POD);
        }
        clock.move(Duration.ofMinutes(1));
        answers.drainPermits();
        int before = reviews.size();
        for (int i = 0; i < 10; i++) {
            threads.submit(() -> tokens.authenticate(token("good"), POD));
        }
        awaitReviews(before + 10);
        assertThat(reviews).hasSize(before + 10);
    }

    @Test
    void anApiServerThatCannotBeAskedIsNoInvalidToken() throws AccessUnknownException {
        server.removeContext("/apis/authentication.k8s.io/v1/tokenreviews");
        String token = token("good");
        assertThatThrownBy(() -> tokens.authenticate(token, POD)).isInstanceOf(AccessUnknownException.class);
        server.createContext("/apis/authentication.k8s.io/v1/tokenreviews", this::review);
        assertThat(tokens.authenticate(token, POD)).isNotNull();
    }

    private void flood(int count) throws Exception {
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(threads.submit(() -> {
                try {
                    return tokens.authenticate(token("bad"), STRANGER);
                } catch (AccessUnknownException e) {
                    // Its lane is full.
                    return null;
                }
            }));
        }
        for (Future<?> each : all) {
            each.get();
        }
    }
}
