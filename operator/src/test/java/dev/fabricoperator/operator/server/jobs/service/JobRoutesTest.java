/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.server.http.Listener;
import dev.fabricoperator.operator.server.http.TestCertificate;
import dev.fabricoperator.operator.server.jobs.JobSettings;
import dev.fabricoperator.protocol.job.JobMapCodec;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class JobRoutesTest {
    private static final String HOST = "127.0.0.1";

    private final JobSettings settings = new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withConverter(Duration.class, 200, new DurationConverter())
            .withMapping(JobSettings.class)
            .build()
            .getConfigMapping(JobSettings.class);

    @Test
    void aReplicaHasAConnectionForEachPodOfTheLargestJob() {
        assertThat(settings.listener().connections()).isGreaterThanOrEqualTo(DirectJob.MAX_PODS);
    }

    @Test
    void aPodWhoseAnswerFailsWhileItWaitsIsTold() throws Exception {
        CompletableFuture<JobResponse> awaited = new CompletableFuture<>();
        serve(request -> awaited, (client, port) -> {
            CompletableFuture<HttpResponse<Void>> answer = watch(client, port, "u1");
            awaited.completeExceptionally(new IllegalStateException("a defect of this test"));
            assertThat(answer.join().statusCode()).isEqualTo(500);
        });
    }

    @Test
    void aPodHasSoManyQuestionsAtOneTimeAndAnotherOneHasItsOwn() throws Exception {
        CompletableFuture<JobResponse> awaited = new CompletableFuture<>();
        CountDownLatch waiting = new CountDownLatch(16);
        serve(
                request -> {
                    waiting.countDown();
                    return awaited;
                },
                (client, port) -> {
                    List<CompletableFuture<HttpResponse<Void>>> held = Stream.generate(() -> watch(client, port, "u1"))
                            .limit(16)
                            .toList();
                    waiting.await();

                    assertThat(watch(client, port, "u1").join().statusCode()).isEqualTo(503);
                    CompletableFuture<HttpResponse<Void>> other = watch(client, port, "u2");
                    awaited.complete(JobResponse.NOTHING);
                    assertThat(other.join().statusCode()).isEqualTo(204);
                    held.forEach(each -> assertThat(each.join().statusCode()).isEqualTo(204));
                    assertThat(watch(client, port, "u1").join().statusCode()).isEqualTo(204);
                });
    }

    @Test
    void aMapMayBeLongerThanAReportAndHasABoundOfItsOwn() throws Exception {
        serve(
                request -> CompletableFuture.completedFuture(
                        JobResponse.text(200, Integer.toString(request.body().length))),
                (client, port) -> {
                    assertThat(post(client, port, JobEndpoint.JOIN, 100_000)).isEqualTo(413);
                    assertThat(post(client, port, JobEndpoint.MAP, JobMapCodec.LONGEST_OF_POD_BYTES))
                            .isEqualTo(200);
                    assertThat(post(client, port, JobEndpoint.MAP, JobMapCodec.LONGEST_OF_POD_BYTES + 1))
                            .isEqualTo(413);
                });
    }

    private static int post(HttpClient client, int port, String path, int bytes) {
        return client.sendAsync(
                        HttpRequest.newBuilder(URI.create("https://" + HOST + ":" + port + path + "?attempt=0"))
                                .header("Authorization", "Bearer u1")
                                .timeout(Duration.ofSeconds(20))
                                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[bytes]))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .join()
                .statusCode();
    }

    private interface Asking {
        void ask(HttpClient client, int port) throws InterruptedException;
    }

    /** The token is the UID of the pod. */
    private static CompletableFuture<HttpResponse<Void>> watch(HttpClient client, int port, String uid) {
        return client.sendAsync(
                HttpRequest.newBuilder(URI.create("https://" + HOST + ":" + port + "/v1/watch?attempt=0"))
                        .header("Authorization", "Bearer " + uid)
                        .timeout(Duration.ofSeconds(20))
                        .build(),
                HttpResponse.BodyHandlers.discarding());
    }

    @Test
    void aPodWhoseTurnHasNotComeWhileAnswersAreHeldIsToldThatThereIsNothingYet() throws Exception {
        JobRoutes.Answers late = request -> {
            throw new JobRefusedException(JobResponse.later("too many pods ask at one time"));
        };
        serve(late, JobRoutes.PATIENCE_OF_HELD, (client, port) -> {
            assertThat(watch(client, port, "u1").join().statusCode()).isEqualTo(503);
        });
        serve(late, Duration.ZERO, (client, port) -> {
            assertThat(watch(client, port, "u1").join().statusCode()).isEqualTo(204);
            assertThat(post(client, port, JobEndpoint.JOIN, 100)).isEqualTo(204);
            assertThat(post(client, port, JobEndpoint.EVENT, 100))
                    .as("is not held")
                    .isEqualTo(503);
        });
    }

    private void serve(JobRoutes.Answers answers, Asking asking) throws Exception {
        serve(answers, JobRoutes.PATIENCE_OF_HELD, asking);
    }

    private void serve(JobRoutes.Answers answers, Duration patienceOfHeld, Asking asking) throws Exception {
        Vertx vertx = Vertx.vertx();
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        try (Listener listener = new Listener(
                        vertx,
                        new Listener.ServingInfo("jobs", HOST, 0, Set.of("TLSv1.3"), false),
                        settings.listener(),
                        TestCertificate.keyManager(),
                        meters);
                HttpClient client = HttpClient.newBuilder().sslContext(trusting).build()) {
            new JobRoutes(
                            answers,
                            (token, address, patience) -> new PodTokens.BoundPod("jobs", "ring", String.valueOf(token)),
                            meters,
                            patienceOfHeld)
                    .addTo(listener);
            listener.start();
            asking.ask(client, listener.port());
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }
}
