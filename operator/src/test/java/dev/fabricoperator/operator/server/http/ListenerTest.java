/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.OpenSSLEngineOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509KeyManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Real sockets and TLS against the real listener; strangers come from other addresses of the loopback interface. */
@Timeout(300)
class ListenerTest {
    private static final String GET = "GET /now HTTP/1.1\r\nHost: x\r\n\r\n";
    private static final String CLIENT = "127.0.0.1";
    private static final String STRANGER = "127.0.0.2";
    private static final byte[] LARGE = new byte[32 << 20];
    private static X509KeyManager certificate;
    private static SSLContext trusting;

    /** Of the certificate; a test may count what is asked of it. */
    private X509KeyManager keys;

    private final Vertx vertx = Vertx.vertx();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final BlockingQueue<Exchange> waiting = new LinkedBlockingQueue<>();

    @SuppressWarnings("NullAway.Init") // every test listens first
    private Listener listener;

    ListenerTest() {
        keys = Objects.requireNonNull(certificate);
    }

    @BeforeAll
    static void issue() throws Exception {
        certificate = TestCertificate.keyManager();
        trusting = SSLContext.getInstance("TLS");
        trusting.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        if (listener != null) {
            listener.close();
        }
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private void listen(String... namesAndValues) throws IOException {
        Map<String, String> settings = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            settings.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        listener = new Listener(
                        vertx,
                        new Listener.ServingInfo("test", CLIENT, 0, Set.of("TLSv1.3"), false),
                        TestSettings.of(settings),
                        keys,
                        meters)
                .route(HttpMethod.GET, "/now", exchange -> exchange.send(200, Map.of(), bytes("done")))
                .route(HttpMethod.GET, "/valid", exchange -> {
                    exchange.proven();
                    exchange.send(200, Map.of(), bytes("done"));
                })
                .route(HttpMethod.GET, "/large", exchange -> exchange.send(200, Map.of(), LARGE))
                .route(
                        HttpMethod.GET,
                        "/defect",
                        exchange -> exchange.fork(() -> {
                            throw new IllegalStateException("a defect of this test");
                        }))
                .route(HttpMethod.GET, "/twice", exchange -> {
                    exchange.send(200, Map.of(), LARGE);
                    exchange.send(500, Map.of(), new byte[0]);
                })
                .route(
                        HttpMethod.GET,
                        "/broken-off",
                        exchange -> exchange.fork(() -> {
                            exchange.response().setChunked(true).write("half");
                            throw new IllegalStateException("a defect of this test");
                        }))
                .route(HttpMethod.GET, "/wait", waiting::add)
                .route(HttpMethod.POST, "/judged", waiting::add)
                .route(HttpMethod.POST, "/guarded", exchange -> exchange.refuse(401, "no token"))
                .route(
                        HttpMethod.POST,
                        "/body",
                        exchange -> exchange.readBody(
                                1 << 20, body -> exchange.send(200, Map.of(), bytes(Integer.toString(body.length)))))
                .route(HttpMethod.POST, "/kept", exchange -> exchange.readBody(1 << 20, body -> waiting.add(exchange)));
        listener.start();
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
    void whereTheImagesRunBoringSslDoesTheHandshakes() throws IOException {
        listen();
        assertThat(AcceptingTls.engine(context -> true)).isInstanceOf(OpenSSLEngineOptions.class);
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
    void aKeyIsConvertedForBoringSslOnceAndNotForEachHandshake() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        keys = (X509KeyManager) Proxy.newProxyInstance(
                ListenerTest.class.getClassLoader(),
                new Class<?>[] {X509KeyManager.class},
                (self, method, arguments) -> {
                    if (method.getName().equals("getPrivateKey")) {
                        asked.incrementAndGet();
                    }
                    return method.invoke(certificate, arguments);
                });
        listen();
        for (int i = 0; i < 3; i++) {
            assertThat(ask(CLIENT, GET)).startsWith("HTTP/1.1 200 ");
        }
        assertThat(asked).hasValue(1);
    }

    @Test
    void protocolsThatAreNotNamedAreNotSpoken() throws IOException {
        listen();
        assertThatThrownBy(() -> {
                    try (SSLSocket socket = tls(CLIENT, "TLSv1.2")) {
                        socket.startHandshake();
                    }
                })
                .isInstanceOf(SSLException.class);
        assertThat(ask(CLIENT, GET)).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aFloodOfConnectsTakesNoMoreThanTheShareOfItsAddress() throws IOException {
        listen("connections-per-address", "16", "handshakes-per-address", "16");
        for (int i = 0; i < 200; i++) {
            connect(STRANGER);
        }
        assertThat(ask(CLIENT, GET)).startsWith("HTTP/1.1 200 ");
        eventually(() -> assertThat(listener.connections().size()).isLessThanOrEqualTo(17));
        eventually(
                () -> assertThat(refused("address_full") + refused("displaced")).isEqualTo(184));
    }

    @Test
    void whoComesWhenStrangersOfManyAddressesHoldEveryConnectionGetsIn() throws IOException {
        listen("connections", "40", "connections-per-address", "10");
        for (int address = 2; address < 10; address++) {
            for (int i = 0; i < 10; i++) {
                connect("127.0.0." + address);
            }
        }
        for (int i = 0; i < 5; i++) {
            assertThat(ask(CLIENT, GET)).startsWith("HTTP/1.1 200 ");
        }
        assertThat(refused("displaced")).isPositive();
        assertThat(listener.connections().size()).isLessThanOrEqualTo(40);
    }

    @Test
    void aConnectionThatHasShownSomethingValidStaysUnderAFloodFromItsOwnAddress() throws IOException {
        listen("connections", "16", "connections-per-address", "8", "handshakes-per-address", "8");
        try (SSLSocket kept = tls(CLIENT, "TLSv1.3")) {
            assertThat(ask(kept, GET.replace("now", "valid"))).startsWith("HTTP/1.1 200 ");
            for (int i = 0; i < 100; i++) {
                connect(i % 2 == 0 ? CLIENT : STRANGER);
            }
            assertThat(ask(kept, GET)).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void aHandshakeThatIsNotFinishedEnds() throws IOException {
        listen("handshake", "200ms");
        Socket silent = connect(STRANGER);
        assertThat(endsByItself(silent)).isTrue();
        eventually(() -> assertThat(refused("handshake")).isEqualTo(1));
    }

    @Test
    void garbageInsteadOfTlsEnds() throws IOException {
        listen();
        Socket garbage = connect(STRANGER);
        garbage.getOutputStream().write(bytes(GET.repeat(100)));
        assertThat(endsByItself(garbage)).isTrue();
        assertThat(ask(CLIENT, GET)).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void whoSendsNoRequestOrNeverFinishesItsHeadersIsCutOff() throws IOException {
        listen("unproven", "3s");
        SSLSocket silent = tls(STRANGER, "TLSv1.3");
        silent.startHandshake();
        SSLSocket slow = tls(STRANGER, "TLSv1.3");
        slow.getOutputStream().write(bytes("GET /now HTTP/1.1\r\nX-Slow: "));
        assertThat(endsByItself(silent)).isTrue();
        assertThat(endsByItself(slow)).isTrue();
        eventually(() -> assertThat(refused("idle")).isEqualTo(2));
    }

    @Test
    void aBodyThatDoesNotComeInTimeEndsItsConnection() throws IOException {
        listen("body", "300ms");
        SSLSocket slow = tls(STRANGER, "TLSv1.3");
        slow.getOutputStream().write(bytes(post("/body", 100) + "only this"));
        assertThat(endsByItself(slow)).isTrue();
        eventually(() -> assertThat(refused("slow")).isEqualTo(1));
        eventually(() -> assertThat(listener.bodies().used()).isZero());
    }

    @Test
    void noByteOfABodyIsKeptBeforeWhoAsksHasBeenJudged() throws IOException {
        listen();
        assertThat(ask(STRANGER, post("/guarded", 1_000_000_000))).startsWith("HTTP/1.1 401 ");
        assertThat(listener.bodies().used()).isZero();
    }

    @Test
    void theConnectionOfASmallBodyThatNobodyHasReadCanBeUsedAgain() throws IOException {
        listen();
        try (SSLSocket socket = tls(CLIENT, "TLSv1.3")) {
            assertThat(ask(socket, post("/guarded", 4) + "body")).startsWith("HTTP/1.1 401 ");
            assertThat(ask(socket, GET)).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void aBodyIsReadWhenItIsAskedFor() throws IOException {
        listen();
        assertThat(ask(CLIENT, post("/body", 10) + "0123456789")).endsWith("\r\n\r\n10");
        assertThat(ask(
                        CLIENT,
                        "POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"))
                .endsWith("\r\n\r\n3");
        eventually(() -> assertThat(listener.bodies().used()).isZero());
    }

    @Test
    void aBodyThatIsTooLargeIsRefused() throws IOException {
        listen();
        assertThat(ask(CLIENT, post("/body", (1 << 20) + 1))).startsWith("HTTP/1.1 413 ");
        String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
        assertThat(ask(
                        CLIENT,
                        "POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk.repeat(17)))
                .startsWith("HTTP/1.1 413 ");
        eventually(() -> assertThat(listener.bodies().used()).isZero());
    }

    @Test
    void bodiesInWorkTakeNoMoreMemoryThanTheyMay() throws Exception {
        listen("bodies-mebibytes", "2");
        SSLSocket first = tls(STRANGER, "TLSv1.3");
        first.getOutputStream().write(bytes(post("/kept", 1 << 20) + "x".repeat(1 << 20)));
        Exchange kept = waiting.take();
        assertThat(ask(STRANGER, post("/body", 1) + "x"))
                .as("its address has its half")
                .startsWith("HTTP/1.1 503 ");
        assertThat(ask(CLIENT, post("/body", 1) + "x")).startsWith("HTTP/1.1 200 ");
        kept.send(200, Map.of(), new byte[0]);
        eventually(() -> assertThat(listener.bodies().used()).isZero());
        assertThat(ask(STRANGER, post("/body", 1) + "x")).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aBodyThatIsOnlyAnnouncedTakesNoRoom() throws Exception {
        listen("bodies-mebibytes", "2");
        for (String stranger : List.of(STRANGER, "127.0.0.3")) {
            SSLSocket announcing = tls(stranger, "TLSv1.3");
            announcing.getOutputStream().write(bytes(post("/body", 1 << 20) + "x".repeat(10)));
        }
        eventually(() -> assertThat(listener.bodies().used()).isEqualTo(20));
        assertThat(ask(CLIENT, post("/body", 1 << 20) + "x".repeat(1 << 20))).startsWith("HTTP/1.1 200 ");
    }

    /** Each has no more than its share, and a tenant has many addresses. */
    @Test
    void bodiesThatDoNotComeGiveWayToThoseThatDo() throws Exception {
        listen("bodies-mebibytes", "2", "body", "10m");
        for (String stranger : List.of(STRANGER, "127.0.0.3")) {
            SSLSocket slow = tls(stranger, "TLSv1.3");
            slow.getOutputStream().write(bytes(post("/body", 1 << 20) + "x".repeat((1 << 20) - 1)));
        }
        eventually(() -> assertThat(listener.bodies().used()).isEqualTo((2 << 20) - 2));
        eventually(() ->
                assertThat(asked(CLIENT, post("/body", 9) + "123456789")).startsWith("HTTP/1.1 200 "));
        assertThat(refused("displaced")).isEqualTo(1);
    }

    @Test
    void answersThatNobodyTakesGiveWayToOtherRequests() throws Exception {
        listen("requests", "2", "requests-per-address", "1", "write", "10m");
        for (String stranger : List.of(STRANGER, "127.0.0.3")) {
            tls(stranger, "TLSv1.3").getOutputStream().write(bytes(GET.replace("now", "large")));
        }
        eventually(() -> assertThat(listener.requests().used()).isEqualTo(2));
        eventually(() -> assertThat(asked(CLIENT, GET)).startsWith("HTTP/1.1 200 "));
        assertThat(refused("displaced")).isEqualTo(1);
    }

    @Test
    void whereTheBodyOfAStreamDoesNotComeNoAnswerOfItsConnectionEndsInItsPlace() throws Exception {
        listen("requests", "2", "requests-per-address", "2", "body", "10m", "write", "10m");
        HttpClient client = http2();
        client.send(get("/valid"), HttpResponse.BodyHandlers.discarding());
        HttpRequest never = HttpRequest.newBuilder(get("/body").uri())
                .POST(HttpRequest.BodyPublishers.fromPublisher(
                        subscriber -> subscriber.onSubscribe(new Flow.Subscription() {
                            @Override
                            public void request(long count) {}

                            @Override
                            public void cancel() {}
                        })))
                .build();
        CompletableFuture<?> body = client.sendAsync(never, HttpResponse.BodyHandlers.discarding());
        eventually(() -> assertThat(listener.requests().used()).isEqualTo(1));
        Thread.sleep(20);
        client.sendAsync(
                get("/large"), HttpResponse.BodyHandlers.fromSubscriber(new Flow.Subscriber<List<ByteBuffer>>() {
                    @Override
                    public void onSubscribe(Flow.Subscription subscription) {}

                    @Override
                    public void onNext(List<ByteBuffer> part) {}

                    @Override
                    public void onError(Throwable problem) {}

                    @Override
                    public void onComplete() {}
                }));
        eventually(() -> assertThat(listener.requests().used()).isEqualTo(2));

        eventually(() -> assertThat(asked(STRANGER, GET)).startsWith("HTTP/1.1 200 "));

        eventually(() -> assertThat(body).isCompletedExceptionally());
    }

    /** Of one user that has room for one more only one gets in; of the two that were to give way the other still can. */
    @Test
    void whoeverDoesNotGetInLeavesThePlaceOfNobody() throws Exception {
        listen();
        List<Exchange> exchanges = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            tls(STRANGER, "TLSv1.3").getOutputStream().write(bytes(GET.replace("now", "wait")));
            exchanges.add(waiting.take());
        }
        List<Exchange> slow = exchanges.subList(0, 2);
        slow.forEach(exchange -> exchange.send(200, Map.of(), LARGE));
        eventually(() -> assertThat(slow)
                .allMatch(exchange -> exchange.waitedNanos(System.nanoTime()) > Listener.GRACE.toNanos()));
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (int round = 0; round < 2000; round++) {
                YieldingLimit limit = new YieldingLimit(2, 1);
                assertThat(limit.tryAcquire(slow.get(0), "one")).isTrue();
                assertThat(limit.tryAcquire(slow.get(1), "two")).isTrue();
                CyclicBarrier start = new CyclicBarrier(2);
                List<Future<Boolean>> entered = new ArrayList<>();
                for (Exchange each : exchanges.subList(2, 4)) {
                    entered.add(threads.submit(() -> {
                        start.await();
                        return limit.tryAcquire(each, "three");
                    }));
                }
                assertThat(List.of(entered.get(0).get(), entered.get(1).get())).containsExactlyInAnyOrder(true, false);
                assertThat(limit.tryAcquire(exchanges.get(4), "four"))
                        .as("round %d", round)
                        .isTrue();
            }
        }
    }

    @Test
    void whoHasHisShareDisplacesNobody() throws Exception {
        listen("requests", "2", "requests-per-address", "1", "write", "10m");
        tls(STRANGER, "TLSv1.3").getOutputStream().write(bytes(GET.replace("now", "large")));
        eventually(() -> assertThat(listener.requests().used()).isEqualTo(1));
        Thread.sleep(Listener.GRACE.plusMillis(100));
        assertThat(ask(STRANGER, GET)).startsWith("HTTP/1.1 429 ");
        assertThat(refused("displaced")).isZero();
    }

    @Test
    void whoWaitsForTheListenerGivesWayToNobody() throws Exception {
        listen("requests", "2", "requests-per-address", "1");
        for (String client : List.of(STRANGER, "127.0.0.3")) {
            tls(client, "TLSv1.3").getOutputStream().write(bytes(GET.replace("now", "wait")));
            waiting.take();
        }
        Thread.sleep(Listener.GRACE.plusMillis(100));
        assertThat(ask(CLIENT, GET)).startsWith("HTTP/1.1 429 ");
    }

    @Test
    void aBodyForWhichThereIsNoRoomInTheMiddleIsRefusedAndItsRoomGivenBack() throws Exception {
        listen("bodies-mebibytes", "2");
        SSLSocket first = tls(STRANGER, "TLSv1.3");
        first.getOutputStream().write(bytes(post("/kept", 900_000) + "x".repeat(900_000)));
        Exchange kept = waiting.take();
        assertThat(ask(STRANGER, post("/body", 500_000) + "x".repeat(500_000))).startsWith("HTTP/1.1 503 ");
        eventually(() -> assertThat(listener.bodies().used()).isEqualTo(900_000));
        kept.send(200, Map.of(), new byte[0]);
        eventually(() -> assertThat(listener.bodies().used()).isZero());
    }

    @Test
    void whoWaitsToBeToldSendsItsBody() throws Exception {
        listen();
        SSLSocket careful = tls(CLIENT, "TLSv1.3");
        assertThat(ask(careful, post("/body", 4).replace("Host", "Expect: 100-continue\r\nHost")))
                .startsWith("HTTP/1.1 100 ");
        assertThat(ask(careful, "body")).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aSecondAnswerGivesNothingBackBeforeTheFirstIsTaken() throws Exception {
        listen("requests-per-address", "1");
        SSLSocket slow = tls(STRANGER, "TLSv1.3");
        slow.getOutputStream().write(bytes(GET.replace("now", "twice")));
        assertThat(slow.getInputStream().read()).isEqualTo('H');
        assertThat(ask(STRANGER, GET)).startsWith("HTTP/1.1 429 ");
    }

    @Test
    void whatBreaksOffAfterItsAnswerHasBegunEndsTheConnection() throws Exception {
        listen();
        SSLSocket socket = tls(CLIENT, "TLSv1.3");
        socket.getOutputStream().write(bytes(GET.replace("now", "broken-off")));
        assertThat(endsByItself(socket)).isTrue();
        eventually(() -> assertThat(listener.connections().size()).isZero());
    }

    @Test
    void aDecodedBodyTakesNoRoomWhileItsAnswerIsAwaited() throws Exception {
        listen();
        SSLSocket socket = tls(STRANGER, "TLSv1.3");
        socket.getOutputStream().write(bytes(post("/kept", 4) + "body"));
        Exchange kept = waiting.take();
        kept.releaseBody();
        assertThat(listener.bodies().used()).isZero();
        socket.close();
        eventually(() -> assertThat(listener.connections().size()).isZero());
        assertThat(listener.bodies().used()).as("given back once").isZero();
    }

    @Test
    void whoGoesAwayBeforeTheAnswerGivesBackWhatItHeld() throws Exception {
        listen();
        SSLSocket socket = tls(STRANGER, "TLSv1.3");
        socket.getOutputStream().write(bytes(post("/kept", 4) + "body"));
        waiting.take();
        assertThat(listener.bodies().used()).isEqualTo(4);
        socket.close();
        eventually(() -> assertThat(listener.bodies().used()).isZero());
        eventually(() -> assertThat(listener.connections().size()).isZero());
    }

    @Test
    void whoGoesAwayBeforeItIsJudgedHoldsNothingAfterwards() throws Exception {
        listen();
        SSLSocket socket = tls(STRANGER, "TLSv1.3");
        socket.getOutputStream().write(bytes(post("/judged", 1000)));
        Exchange judged = waiting.take();
        socket.close();
        eventually(() -> assertThat(listener.connections().size()).isZero());
        judged.readBody(1 << 20, body -> {});
        assertThat(listener.bodies().used()).isZero();
    }

    @Test
    void aClientThatDoesNotReadItsAnswerIsCutOff() throws IOException {
        listen("write", "300ms");
        SSLSocket slow = tls(STRANGER, "TLSv1.3");
        slow.getOutputStream().write(bytes(GET.replace("now", "large")));
        eventually(() -> assertThat(refused("slow")).isEqualTo(1));
        eventually(() -> assertThat(listener.connections().size()).isZero());
    }

    @Test
    void aLargeAnswerArrivesWhole() throws Exception {
        listen();
        HttpResponse<byte[]> answer = http2().send(get("/large"), HttpResponse.BodyHandlers.ofByteArray());
        assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(answer.body()).hasSameSizeAs(LARGE);
        assertThat(ask(CLIENT, GET.replace("now", "large").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")))
                .contains("Content-Length: " + LARGE.length);
    }

    @Test
    void anAddressHasNoMoreRequestsInWorkThanItsShareHoweverManyStreamsItOpens() throws Exception {
        listen("requests-per-address", "5", "streams-per-connection", "20");
        HttpClient client = http2();
        List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            answers.add(client.sendAsync(get("/wait"), HttpResponse.BodyHandlers.ofByteArray()));
        }
        List<Exchange> admitted = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            admitted.add(waiting.take());
        }
        // The other fifteen are answered without anything having ended.
        CompletableFuture<?>[] all = answers.toArray(CompletableFuture[]::new);
        eventually(() ->
                assertThat(Arrays.stream(all).filter(CompletableFuture::isDone)).hasSize(15));
        admitted.forEach(exchange -> exchange.send(200, Map.of(), new byte[0]));
        List<Integer> codes = new ArrayList<>();
        for (CompletableFuture<HttpResponse<byte[]>> answer : answers) {
            codes.add(answer.get().statusCode());
        }
        assertThat(codes.stream().filter(code -> code == 200)).hasSize(5);
        assertThat(codes).containsOnly(200, 429).contains(429);
        assertThat(client.send(get("/now"), HttpResponse.BodyHandlers.ofByteArray())
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void inventedPathsAndMethodsLeaveNothingBehind() throws Exception {
        listen();
        ask(CLIENT, GET);
        // What is counted at the end of a request has been counted before its connection is gone.
        eventually(() -> assertThat(listener.connections().size()).isZero());
        int before = meters.getMeters().size();
        HttpClient client = http2();
        for (int i = 0; i < 50; i++) {
            assertThat(client.send(get("/invented/" + i), HttpResponse.BodyHandlers.ofByteArray())
                            .statusCode())
                    .isEqualTo(404);
        }
        assertThat(ask(CLIENT, post("/now", 0))).startsWith("HTTP/1.1 405 ");
        assertThat(ask(CLIENT, "NONSENSE /now HTTP/1.1\r\nHost: x\r\n\r\n")).startsWith("HTTP/1.1 405 ");
        assertThat(ask(CLIENT, GET.replace("now", "%zz%"))).startsWith("HTTP/1.1 4");
        assertThat(meters.getMeters()).hasSize(before);
    }

    @Test
    void headersAreNoLargerThanTheyMayBe() throws IOException {
        listen("header-bytes", "4096");
        assertThat(ask(CLIENT, GET.replace("Host", "X-Long: " + "y".repeat(5000) + "\r\nHost")))
                .startsWith("HTTP/1.1 431 ");
        assertThat(ask(CLIENT, GET.replace("/now", "/" + "y".repeat(5000)))).contains(" 414 ");
    }

    @Test
    void aDefectAnswers500AndNothingElseEnds() throws IOException {
        listen();
        assertThat(ask(CLIENT, GET.replace("now", "defect"))).startsWith("HTTP/1.1 500 ");
        assertThat(ask(CLIENT, GET)).startsWith("HTTP/1.1 200 ");
    }

    private double refused(String reason) {
        return Objects.requireNonNull(meters.find("fabric_operator_listener_refused")
                        .tag("reason", reason)
                        .counter())
                .count();
    }

    private Socket connect(String from) throws IOException {
        Socket socket = new Socket();
        opened.add(socket);
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        socket.connect(new InetSocketAddress(CLIENT, listener.port()));
        return socket;
    }

    private SSLSocket tls(String from, String protocol) throws IOException {
        Socket plain = connect(from);
        SSLSocket socket = (SSLSocket) trusting.getSocketFactory().createSocket(plain, CLIENT, listener.port(), true);
        socket.setEnabledProtocols(new String[] {protocol});
        socket.setSoTimeout(60_000);
        opened.add(socket);
        return socket;
    }

    private String ask(String from, String request) throws IOException {
        try (SSLSocket socket = tls(from, "TLSv1.3")) {
            return ask(socket, request);
        }
    }

    private String asked(String from, String request) {
        try {
            return ask(from, request);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Head and, where it comes with it, body of the answer. */
    private static String ask(SSLSocket socket, String request) throws IOException {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                socket.getOutputStream().write(bytes(request));
            } catch (IOException e) {
                // The answer has come before the end of the request.
                assertThat(e).isNotNull();
            }
        });
        InputStream in = socket.getInputStream();
        StringBuilder answer = new StringBuilder();
        byte[] buffer = new byte[8192];
        int read = in.read(buffer);
        while (read >= 0) {
            answer.append(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
            int head = answer.indexOf("\r\n\r\n");
            if (head >= 0 && answer.length() - head - 4 >= Math.min(length(answer.substring(0, head)), 100)) {
                return answer.toString();
            }
            read = in.read(buffer);
        }
        return answer.toString();
    }

    private static int length(String head) {
        return Arrays.stream(head.split("\r\n", -1))
                .filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:"))
                .mapToInt(line -> Integer.parseInt(
                        line.substring("content-length:".length()).strip()))
                .findFirst()
                .orElse(0);
    }

    /** Whether the other side ends the connection, by whatever means. */
    private static boolean endsByItself(Socket socket) throws IOException {
        socket.setSoTimeout(60_000);
        try {
            byte[] buffer = new byte[1024];
            int read = 0;
            while (read >= 0) {
                read = socket.getInputStream().read(buffer);
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException | SSLException e) {
            return true;
        }
    }

    private static void eventually(Runnable assertion) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (true) {
            try {
                assertion.run();
                return;
            } catch (AssertionError e) {
                if (System.nanoTime() > end) {
                    throw e;
                }
                java.util.concurrent.locks.LockSupport.parkNanos(10_000_000);
            }
        }
    }

    private HttpClient http2() {
        HttpClient client = HttpClient.newBuilder().sslContext(trusting).build();
        opened.add(client);
        return client;
    }

    private HttpRequest get(String path) {
        return HttpRequest.newBuilder(URI.create("https://" + CLIENT + ":" + listener.port() + path))
                .build();
    }

    private static String post(String path, int length) {
        return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
