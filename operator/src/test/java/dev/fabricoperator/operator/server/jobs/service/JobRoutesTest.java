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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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
        Vertx vertx = Vertx.vertx();
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        CompletableFuture<JobResponse> awaited = new CompletableFuture<>();
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        try (Listener listener = new Listener(
                        vertx,
                        new Listener.Place("jobs", HOST, 0, Set.of("TLSv1.3"), false),
                        settings.listener(),
                        TestCertificate.keyManager(),
                        meters);
                HttpClient client = HttpClient.newBuilder().sslContext(trusting).build()) {
            new JobRoutes(
                            request -> awaited,
                            (token, address) -> new PodTokens.BoundPod("jobs", "ring-0", "u1"),
                            meters)
                    .addTo(listener);
            listener.start();
            CompletableFuture<HttpResponse<Void>> answer = client.sendAsync(
                    HttpRequest.newBuilder(
                                    URI.create("https://" + HOST + ":" + listener.port() + "/v1/watch?attempt=0"))
                            .timeout(Duration.ofSeconds(20))
                            .build(),
                    HttpResponse.BodyHandlers.discarding());
            awaited.completeExceptionally(new IllegalStateException("a defect of this test"));
            assertThat(answer.get().statusCode()).isEqualTo(500);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }
}
