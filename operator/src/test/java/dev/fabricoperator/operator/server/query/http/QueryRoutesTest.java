/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.server.auth.Access;
import dev.fabricoperator.operator.server.auth.AccessAttributes;
import dev.fabricoperator.operator.server.auth.FrontProxy;
import dev.fabricoperator.operator.server.auth.ReviewClient;
import dev.fabricoperator.operator.server.auth.TokenAuthenticator;
import dev.fabricoperator.operator.server.http.Listener;
import dev.fabricoperator.operator.server.http.TestCertificate;
import dev.fabricoperator.operator.server.query.QuerySettings;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real connections, against an API server that knows everybody and allows everything. */
@Timeout(300)
class QueryRoutesTest {
    private static final String HOST = "127.0.0.1";
    private static final QueryResponse SMALL = new QueryResponse.Document(Map.of("a", "b"), null, Map.of());
    private static final QueryResponse LARGE = new QueryResponse.Written(
            "text/plain", QueryResponse.Written.LARGE_BYTES + 1, out -> out.write('a'), null, Map.of());

    private final Vertx vertx = Vertx.vertx();
    /** Not virtual ones: those share the machine's few carriers with all other tests of this process. */
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private @Nullable FrontProxy frontProxy = FrontProxy.NONE;
    private HttpServer apiServer;
    private KubernetesClient api;
    private @Nullable Listener listener;
    private int port;

    @BeforeEach
    void serveReviews() throws IOException {
        apiServer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        apiServer.setExecutor(threads);
        apiServer.createContext("/", QueryRoutesTest::review);
        apiServer.start();
        api = TestApiServer.client(apiServer);
    }

    /** A token is its user's name, with hyphens for colons. */
    private static void review(HttpExchange exchange) throws IOException {
        try (exchange) {
            ObjectNode review = (ObjectNode) Json.MAPPER.readTree(exchange.getRequestBody());
            ObjectNode status = review.putObject("status");
            status.put("allowed", true).put("authenticated", true);
            status.putObject("user")
                    .put("username", review.at("/spec/token").asText().replace('-', ':'));
            byte[] body = Json.MAPPER.writeValueAsBytes(review);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(201, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private void listen(QueryResponse answer, Map<String, String> values) throws Exception {
        SmallRyeConfigBuilder config = new SmallRyeConfigBuilder()
                .addDiscoveredConverters()
                .withConverter(Duration.class, 200, new DurationConverter())
                .withMapping(QuerySettings.class);
        values.forEach((name, value) -> config.withDefaultValue("fabric-operator.query." + name, value));
        QuerySettings settings = config.build().getConfigMapping(QuerySettings.class);
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        ReviewClient reviews = new ReviewClient(api);
        Clock clock = Clock.systemUTC();
        SteadyClock steady = SteadyClock.system();
        AccessControl access = new AccessControl(
                new TokenAuthenticator(
                        reviews,
                        null,
                        settings.accessCache(),
                        caller -> null,
                        settings.reviews(),
                        clock,
                        steady,
                        meters),
                new Access(reviews, settings.accessCache(), settings.reviews(), steady),
                () -> frontProxy,
                clock);
        Listener made = new Listener(
                vertx,
                new Listener.ServingInfo("query", HOST, 0, Set.of("TLSv1.3"), false),
                settings.listener(),
                TestCertificate.keyManager(),
                meters);
        new QueryRoutes(settings.limits(), access, new OneAnswer(answer), meters).addTo(made);
        made.start();
        port = made.port();
        listener = made;
    }

    @AfterEach
    void close() {
        if (listener != null) {
            listener.close();
        }
        api.close();
        apiServer.stop(0);
        threads.shutdownNow();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private record OneAnswer(QueryResponse answer) implements Endpoint {
        @Override
        public AccessAttributes attributes(QueryRequest request) {
            return new AccessAttributes.OfPath(request.path());
        }

        @Override
        public QueryResponse answer(QueryRequest request) {
            return answer;
        }

        @Override
        public String subject(QueryRequest request) {
            return "";
        }
    }

    /** The API server would hand a refusal on to its own client, who has been authenticated. */
    @Test
    void whoComesWithoutATokenIsToldToComeAgainUntilTheFrontProxyIsKnown() throws Exception {
        frontProxy = null;
        listen(SMALL, Map.of());
        HttpClient client = client(65_535);
        assertThat(status(client.request(HttpMethod.GET, port, HOST, "/"))).isEqualTo(503);
        assertThat(status(client, "alice")).isEqualTo(200);
        frontProxy = FrontProxy.NONE;
        assertThat(status(client.request(HttpMethod.GET, port, HOST, "/"))).isEqualTo(401);
        client.close();
    }

    @Test
    void aRefusalThatItsClientDoesNotTakeCountsAsARequestInWork() throws Exception {
        listen(SMALL, Map.of("listener.requests-per-address", "1"));
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

    /** Discovery is for everybody who has a token, and an answer that is not taken lasts a minute. */
    @Test
    void theServiceAccountsOfOneNamespaceDoNotTakeTheRequestsOfAll() throws Exception {
        listen(SMALL, Map.of("limits.requests", "2", "limits.requests-per-user", "1"));
        HttpClient slow = client(0);
        assertThat(status(slow, "system-serviceaccount-a-one")).isEqualTo(200);
        assertThat(status(slow, "system-serviceaccount-a-two")).isEqualTo(429);
        assertThat(status(slow, "system-serviceaccount-b-one")).isEqualTo(200);
        slow.close();
    }

    @Test
    void oneUserDoesNotTakeTheLargeAnswersOfAll() throws Exception {
        listen(LARGE, Map.of("limits.large-answers", "2"));
        HttpClient slow = client(0);
        assertThat(status(slow, "alice")).isEqualTo(200);
        assertThat(status(slow, "alice")).isEqualTo(429);
        assertThat(status(slow, "bob")).isEqualTo(200);
        slow.close();
    }

    /** One HTTP/2 connection of each is enough: an answer that is not taken would last a minute, and another is asked for then. */
    @Test
    void tenantsThatTakeNoAnswerGiveWayToWhomTheyKeepOut() throws Exception {
        listen(SMALL, Map.of("limits.requests", "2", "limits.requests-per-user", "1"));
        HttpClient slow = client(0);
        HttpClient other = client(65_535);
        assertThat(status(slow, "system-serviceaccount-a-one")).isEqualTo(200);
        assertThat(status(slow, "system-serviceaccount-b-one")).isEqualTo(200);
        assertThat(eventualStatus(other, "carol")).isEqualTo(200);
        assertThat(eventualStatus(slow, "system-serviceaccount-a-one")).isEqualTo(200);
        assertThat(eventualStatus(other, "carol")).isEqualTo(200);
        slow.close();
        other.close();
    }

    @Test
    void largeAnswersThatAreNotTakenGiveWayToOthers() throws Exception {
        listen(LARGE, Map.of("limits.large-answers", "2", "limits.request", "10m"));
        HttpClient slow = client(0);
        HttpClient other = client(65_535);
        assertThat(status(slow, "alice")).isEqualTo(200);
        assertThat(status(slow, "bob")).isEqualTo(200);
        assertThat(eventualStatus(other, "carol")).isEqualTo(200);
        slow.close();
        other.close();
    }

    /** The front proxy brings the requests of many over one connection. */
    @Test
    void anAnswerThatIsNotTakenEndsAloneAndNotWithItsConnection() throws Exception {
        listen(SMALL, Map.of("listener.write", "1s", "limits.requests", "2", "limits.requests-per-user", "1"));
        HttpClient proxy = client(0);
        HttpClientRequest silent = request(proxy, "alice")
                .toCompletionStage()
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        CompletableFuture<Void> closed = new CompletableFuture<>();
        silent.connection().closeHandler(gone -> closed.complete(null));
        assertThat(status(Future.succeededFuture(silent))).isEqualTo(200);
        // Its share is one, and its own gives way to nobody: the next is taken when the first is over.
        assertThat(eventualStatus(proxy, "alice")).isEqualTo(200);
        assertThat(closed).isNotDone();
        proxy.close();
    }

    @Test
    void theServiceAccountsOfOneNamespaceShareItsWatches() throws Exception {
        BlockingQueue<Object> none = new LinkedBlockingQueue<>();
        QueryResponse endless = new QueryResponse.Streamed(
                new QueryResponse.Source() {
                    private boolean begun;

                    @Override
                    public synchronized Object next() throws InterruptedException {
                        if (begun) {
                            return none.take();
                        }
                        begun = true;
                        return Map.of("a", "b");
                    }

                    @Override
                    public void close() {}
                },
                Map.of());
        listen(endless, Map.of("limits.watches-per-user", "1"));
        HttpClient client = client(65_535);
        assertThat(status(client, "system-serviceaccount-a-one")).isEqualTo(200);
        assertThat(status(client, "system-serviceaccount-a-two")).isEqualTo(429);
        client.close();
    }

    private int eventualStatus(HttpClient client, String token) throws Exception {
        int status = status(client, token);
        for (int tries = 0; tries < 200 && status == 429; tries++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            status = status(client, token);
        }
        return status;
    }

    private Future<HttpClientRequest> request(HttpClient client, String token) {
        return client.request(HttpMethod.GET, port, HOST, "/")
                .map(request -> request.putHeader("Authorization", "Bearer " + token));
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
        return status(client.request(HttpMethod.POST, port, HOST, "/"));
    }

    private int status(HttpClient client, String token) throws Exception {
        return status(request(client, token));
    }

    private static int status(Future<HttpClientRequest> request) throws Exception {
        return request.compose(HttpClientRequest::send)
                .map(HttpClientResponse::statusCode)
                .toCompletionStage()
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
    }
}
