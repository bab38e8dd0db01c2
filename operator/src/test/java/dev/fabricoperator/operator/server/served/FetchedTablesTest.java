/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.RoutesStatus;
import dev.fabricoperator.crds.SourceStatusBuilder;
import dev.fabricoperator.operator.cluster.FabricFacts;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against a real HTTP server, which answers as a sweep does, or as it should not. */
class FetchedTablesTest {
    private static final String TEXT = """
            Unicast lids [0x0-0x3] of switch Lid 3 guid 0x00000000000000a1 (leaf):
              Lid  Out   Destination
                   Port     Info
            0x0001 001
            0x0002 002
            0x0003 000
            3 valid lids dumped
            """;

    private final Map<String, byte[]> answers = new ConcurrentHashMap<>();
    private final FetchedTables tables = new FetchedTables(Duration.ofSeconds(2));
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/routes/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] bytes = answers.get(exchange.getRequestURI().getPath().substring("/routes/".length()));
        exchange.sendResponseHeaders(
                bytes == null ? 404 : 200, bytes == null ? -1 : bytes.length == 0 ? 1 : bytes.length);
        if (bytes != null && bytes.length > 0) {
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(bytes);
            }
        }
        // An empty answer stands for a byte that never comes: the exchange stays open.
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    private static String digest(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    private FabricFacts fabric(String... digests) {
        Fabric fabric = new Fabric();
        fabric.setMetadata(new ObjectMetaBuilder().withName("f").build());
        String address = "127.0.0.1:" + server.getAddress().getPort();
        FabricStatus status = FabricStatusBuilder.builder()
                .sources(Arrays.stream(digests)
                        .map(digest -> SourceStatusBuilder.builder()
                                .name(digest.substring(0, 8))
                                .state("SourceRead")
                                .routes(new RoutesStatus(digest, address, null))
                                .build())
                        .toList())
                .build();
        fabric.setStatus(status);
        return FabricFacts.of(fabric);
    }

    private FetchedTables.Answer answerOf(FabricFacts fabric) {
        return tables.of(Objects.requireNonNull(fabric.status()));
    }

    @Test
    void tablesAreKnownOnceTheyAreFetchedAndStayTheSameObject() throws Exception {
        byte[] bytes = gzip(TEXT);
        FabricFacts fabric = fabric(digest(bytes));
        answers.put(digest(bytes), bytes);
        assertThat(tables.want(List.of(fabric))).isTrue();
        assertThat(answerOf(fabric)).isInstanceOf(FetchedTables.Answer.Awaited.class);
        assertThat(tables.fetch()).isTrue();
        assertThat(tables.want(List.of(fabric))).isFalse();
        assertThat(tables.fetch()).isFalse();
        assertThat(answerOf(fabric)).isInstanceOfSatisfying(FetchedTables.Answer.Known.class, known -> {
            assertThat(known.tables().all())
                    .singleElement()
                    .satisfies(table -> assertThat(table.port(2)).isEqualTo(2));
            assertThat(((FetchedTables.Answer.Known) answerOf(fabric)).tables()).isSameAs(known.tables());
        });
    }

    @Test
    void whatNoFabricNamesAnyMoreIsForgotten() throws Exception {
        byte[] bytes = gzip(TEXT);
        FabricFacts fabric = fabric(digest(bytes));
        answers.put(digest(bytes), bytes);
        tables.want(List.of(fabric));
        tables.fetch();
        assertThat(tables.want(List.of())).isFalse();
        tables.forget();
        assertThat(answerOf(fabric)).isInstanceOf(FetchedTables.Answer.Awaited.class);
        assertThat(tables.of(FabricStatusBuilder.builder().build())).isInstanceOf(FetchedTables.Answer.None.class);
    }

    @Test
    void anAnswerWithAnotherDigestIsRefusedAndOneBehindItStillComes() throws Exception {
        byte[] good = gzip(TEXT);
        byte[] other = gzip(TEXT.replace("0x0001 001", "0x0001 009"));
        String forged = "ab".repeat(32);
        answers.put(forged, other);
        answers.put(digest(good), good);
        FabricFacts lies = fabric(forged);
        FabricFacts fabric = fabric(digest(good));
        tables.want(List.of(lies, fabric));
        assertThat(tables.fetch()).isTrue();
        assertThat(answerOf(fabric)).isInstanceOf(FetchedTables.Answer.Known.class);
        assertThat(answerOf(lies)).isInstanceOf(FetchedTables.Answer.Awaited.class);
        assertThatThrownBy(tables::fetch)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/routes/" + forged)
                .hasMessageContaining(digest(other));
    }

    @Test
    void aCutTextOneThatIsNoneAndAnAbsentOneAreNamed() throws Exception {
        byte[] whole = gzip(TEXT);
        byte[] cut = Arrays.copyOf(whole, whole.length - 12);
        byte[] torn = gzip(TEXT.substring(0, TEXT.indexOf("3 valid")));
        byte[] none = "no gzip".getBytes(StandardCharsets.UTF_8);
        for (byte[] bytes : List.of(cut, torn, none)) {
            answers.put(digest(bytes), bytes);
            tables.want(List.of(fabric(digest(bytes))));
            assertThatThrownBy(tables::fetch).isInstanceOf(IOException.class).hasMessageContaining(digest(bytes));
        }
        tables.want(List.of(fabric("cd".repeat(32))));
        assertThatThrownBy(tables::fetch).isInstanceOf(IOException.class).hasMessageContaining("status 404");
    }

    @Test
    void aBodyThatStandsStillEnds() {
        String digest = "ef".repeat(32);
        answers.put(digest, new byte[0]);
        tables.want(List.of(fabric(digest)));
        assertThatThrownBy(tables::fetch)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no whole answer within 2 s");
    }
}
