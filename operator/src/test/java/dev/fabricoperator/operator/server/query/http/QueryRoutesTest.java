/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.server.auth.Access;
import dev.fabricoperator.operator.server.auth.FrontProxy;
import dev.fabricoperator.operator.server.auth.ReviewClient;
import dev.fabricoperator.operator.server.auth.TokenAuthenticator;
import dev.fabricoperator.operator.server.http.Listener;
import dev.fabricoperator.operator.server.http.TestCertificate;
import dev.fabricoperator.operator.server.query.QuerySettings;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real connections; what is refused before anybody is asked who comes. */
@Timeout(300)
class QueryRoutesTest {
    private static final String HOST = "127.0.0.1";

    private final Vertx vertx = Vertx.vertx();
    private final KubernetesClient api =
            new KubernetesClientBuilder().withConfig(Config.empty()).build();
    private Listener listener;

    @BeforeEach
    void listen() throws Exception {
        QuerySettings settings = new SmallRyeConfigBuilder()
                .addDiscoveredConverters()
                .withConverter(Duration.class, 200, new DurationConverter())
                .withMapping(QuerySettings.class)
                .withDefaultValue("fabric-operator.query.listener.requests-per-address", "1")
                .build()
                .getConfigMapping(QuerySettings.class);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        ReviewClient reviews = new ReviewClient(api);
        Clock clock = Clock.systemUTC();
        AccessControl access = new AccessControl(
                new TokenAuthenticator(
                        reviews, null, settings.accessCache(), caller -> null, settings.reviews(), clock, meters),
                new Access(reviews, settings.accessCache(), settings.reviews(), clock),
                () -> FrontProxy.NONE,
                clock);
        listener = new Listener(
                vertx,
                new Listener.ServingInfo("query", HOST, 0, Set.of("TLSv1.3"), false),
                settings.listener(),
                TestCertificate.keyManager(),
                meters);
        new QueryRoutes(settings.limits(), access, new NoEndpoint(), meters).addTo(listener);
        listener.start();
    }

    @AfterEach
    void close() {
        listener.close();
        api.close();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    /** Nobody comes so far. */
    private static final class NoEndpoint implements Endpoint {
        @Override
        public dev.fabricoperator.operator.server.auth.AccessAttributes attributes(QueryRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public QueryResponse answer(QueryRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String subject(QueryRequest request) {
            return "";
        }
    }

    @Test
    void aRefusalThatItsClientDoesNotTakeCountsAsARequestInWork() throws Exception {
        HttpClient slow = client(0);
        assertThat(status(slow)).isEqualTo(405);
        HttpClient other = client(65_535);
        assertThat(status(other)).isEqualTo(429);
        slow.close();
        int status = status(other);
        for (int tries = 0; tries < 200 && status == 429; tries++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            status = status(other);
        }
        assertThat(status).isEqualTo(405);
        other.close();
    }

    /** @param window bytes of an answer that it takes */
    private HttpClient client(int window) {
        return vertx.createHttpClient(new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setUseAlpn(true)
                .setSsl(true)
                .setTrustAll(true)
                .setVerifyHost(false)
                .setInitialSettings(new Http2Settings().setInitialWindowSize(window)));
    }

    private int status(HttpClient client) throws Exception {
        return client.request(HttpMethod.POST, listener.port(), HOST, "/")
                .compose(HttpClientRequest::send)
                .map(HttpClientResponse::statusCode)
                .toCompletionStage()
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
    }
}
