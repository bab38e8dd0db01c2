/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.cluster.ApiReader.ObjectPath;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a socket that answers as it is told, for an API server that hangs cannot be had otherwise. */
@Timeout(300)
class ApiReaderTest {
    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final ObjectPath POD = Objects.requireNonNull(ObjectPath.of("v1", "pods", "default", "a"));
    private static final String NOT_FOUND = status(new String(TestApiServer.notFound("a"), StandardCharsets.US_ASCII));
    private static final String OBJECT =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 24\r\n\r\n";

    private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private final BlockingQueue<Boolean> ended = new LinkedBlockingQueue<>();
    private ServerSocket server;
    private KubernetesClient client;
    private volatile String answer = "";
    /** Before {@link #answer}. */
    private final BlockingQueue<String> first = new LinkedBlockingQueue<>();

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().start(this::accept);
        client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(io.fabric8.kubernetes.client.Config.empty())
                        .withMasterUrl("http://127.0.0.1:" + server.getLocalPort() + "/")
                        .build())
                .build();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                accepted.incrementAndGet();
                Thread.ofPlatform().daemon().start(() -> serve(socket));
            }
        } catch (IOException e) {
            assertThat(server.isClosed()).isTrue();
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            byte[] bytes = new byte[8192];
            for (int read = socket.getInputStream().read(bytes);
                    read >= 0;
                    read = socket.getInputStream().read(bytes)) {
                requests.add(new String(bytes, 0, read, StandardCharsets.US_ASCII));
                socket.getOutputStream()
                        .write(Objects.requireNonNullElse(first.poll(), answer).getBytes(StandardCharsets.US_ASCII));
                socket.getOutputStream().flush();
            }
        } catch (IOException e) {
            // A reset ends it too.
            assertThat(e).isNotNull();
        }
        ended.add(true);
    }

    @Test
    void anObjectIsReadByItsPath() throws Exception {
        answer = OBJECT + "{\"kind\":\"Pod\",\"spec\":{}}";
        assertThat(Objects.requireNonNull(new ApiReader(client, 1).get(POD, Duration.ofSeconds(60)))
                        .path("kind")
                        .asText())
                .isEqualTo("Pod");
        assertThat(requests.take()).startsWith("GET /api/v1/namespaces/default/pods/a HTTP/1.1");
    }

    private static String status(String body) {
        return "HTTP/1.1 404 Not Found\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    @Test
    void whatIsNotThereIsNull() throws Exception {
        answer = NOT_FOUND;
        assertThat(new ApiReader(client, 1).get(POD, Duration.ofSeconds(60))).isNull();
    }

    /** The first is what a kube-apiserver says while it does not serve the version of a custom resource, or the resource at all. */
    @ParameterizedTest
    @ValueSource(
            strings = {"404 page not found\n", "", "{}", "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"details\":{}}"
            })
    void ofAKindThatIsNotServedNoObjectIsAbsent(String body) {
        answer = status(body);
        assertThatThrownBy(() -> new ApiReader(client, 1).get(POD, Duration.ofSeconds(60)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("404")
                .hasMessageContaining("/pods/a");
    }

    static List<String> aReadThatIsAnsweredLeavesItsConnectionToTheNextOne() {
        return List.of(OBJECT + "{\"kind\":\"Pod\",\"spec\":{}}", NOT_FOUND);
    }

    /** Other requests of the process take it from the pool as soon as an answer is whole. */
    @ParameterizedTest
    @MethodSource
    void aReadThatIsAnsweredLeavesItsConnectionToTheNextOne(String whole) throws Exception {
        answer = whole;
        ApiReader reader = new ApiReader(client, 1);
        for (int i = 0; i < 50; i++) {
            reader.get(POD, Duration.ofSeconds(60));
        }
        // A second one, where the first has not come back to the pool in time.
        assertThat(accepted.get()).isLessThan(25);
        assertThat(ended).isEmpty();
    }

    @Test
    void aRefusalNamesTheObject() {
        answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n";
        assertThatThrownBy(() -> new ApiReader(client, 1).get(POD, Duration.ofSeconds(60)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("403")
                .hasMessageContaining("/pods/a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", OBJECT, OBJECT + "{\"kind\":"})
    void aReadThatIsNotAnsweredInTimeIsEnded(String begun) throws Exception {
        answer = begun;
        ApiReader reader = new ApiReader(client, 1);
        assertThatThrownBy(() -> reader.get(POD, DEADLINE)).isInstanceOfAny(TimeoutException.class, IOException.class);
        assertThat(ended.poll(60, TimeUnit.SECONDS)).as("the connection ends").isEqualTo(true);
    }

    @Test
    void whoFindsNoPlaceWaitsNoLongerThanItsDeadline() throws Exception {
        ApiReader reader = new ApiReader(client, 1);
        Thread.ofPlatform().daemon().start(() -> get(reader, Duration.ofSeconds(60)));
        requests.take();
        assertThatThrownBy(() -> reader.get(POD, Duration.ofMillis(10)))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("too many reads");
        assertThat(requests).isEmpty();
    }

    @Test
    void moreThanAnObjectCanHaveIsNotTaken() {
        answer = "HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n" + " ".repeat(4 << 20);
        assertThatThrownBy(() -> new ApiReader(client, 1).get(POD, Duration.ofSeconds(60)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("more than");
    }

    @Test
    void largeObjectsAreReadOneAtATimeAndOthersDoNotWaitForThem() throws Exception {
        String large = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
        first.addAll(List.of(large + " ".repeat(100_000), large, large + " ".repeat(100_000)));
        Thread.ofPlatform().daemon().start(() -> get(new ApiReader(client, 2), Duration.ofMinutes(1)));
        requests.take();
        requests.take();
        Thread other = Thread.ofPlatform().daemon().start(() -> get(new ApiReader(client, 2), DEADLINE));
        requests.take();
        assertThat(requests.poll(500, TimeUnit.MILLISECONDS)).isNull();

        answer = OBJECT + "{\"kind\":\"Pod\",\"spec\":{}}";
        assertThat(new ApiReader(client, 1).get(POD, DEADLINE)).isNotNull();
        other.join();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "..",
                "../../secrets/x",
                "a/b",
                "a?watch=true",
                "a%2fb",
                "A",
                "-a",
                "a..b",
                "a b",
                "a#b",
                "\u00e4",
                "a\n"
            })
    void whatIsNoNameHasNoPath(String name) {
        assertThat(ObjectPath.of("v1", "pods", "default", name)).isNull();
        assertThat(ObjectPath.of("v1", "pods", name, "a")).isNull();
        assertThat(ObjectPath.of("v1", name, "default", "a")).isNull();
        assertThat(ObjectPath.of("batch/" + name, "jobs", "default", "a")).isNull();
    }

    @Test
    void namesAreNoLongerThanKubernetesTakes() {
        List<String> labels = List.of("a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(61));
        assertThat(path(String.join(".", labels))).isNotNull();
        assertThat(path(String.join(".", labels) + "d")).isNull();
        assertThat(path("a".repeat(64))).isNull();
        assertThat(path("a".repeat(100_000))).isNull();
        assertThat(path("a.".repeat(100_000))).isNull();
    }

    @Test
    void groupsAndVersionsLeadToTheirPath() {
        assertThat(ObjectPath.of("jobset.x-k8s.io/v1alpha2", "jobsets", "default", "a.b"))
                .isEqualTo(new ObjectPath("/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets/a.b"));
    }

    private static @Nullable ObjectPath path(String name) {
        return ObjectPath.of("batch/v1", "jobs", "default", name);
    }

    private static void get(ApiReader reader, Duration deadline) {
        try {
            reader.get(POD, deadline);
        } catch (IOException | TimeoutException e) {
            // The server never answers.
            assertThat(e).isNotNull();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
