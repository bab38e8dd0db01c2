/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.traffic.HotReason;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FetchedPortsTest {
    private final FetchedPorts fetched = new FetchedPorts(SteadyClock.system());
    private final AtomicInteger asked = new AtomicInteger();
    private HttpServer sweep;
    private byte[] body = new byte[0];

    @BeforeEach
    void serve() throws IOException {
        sweep = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        sweep.createContext(FabricApi.PORTS_PATH, exchange -> {
            asked.incrementAndGet();
            exchange.sendResponseHeaders(body.length == 0 ? 404 : 200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        sweep.start();
    }

    @AfterEach
    void stop() {
        sweep.stop(0);
    }

    private String address() {
        return "127.0.0.1:" + sweep.getAddress().getPort();
    }

    private static byte[] gzip(byte[] text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text);
        }
        return bytes.toByteArray();
    }

    @Test
    void whatASweepSaysIsAskedForOnceInASecond() throws Exception {
        body = gzip("""
                {"asOf": "2026-11-28T12:00:00Z", "later": 1, "hotSpots": [],
                 "ports": [{"switch": "a001", "port": 3, "bytesPerSecond": 7, "utilisation": 0.5}, {"switch": "a001", "port": 4}]}
                """.getBytes(StandardCharsets.UTF_8));

        assertThat(fetched.from(address()).ports()).hasSize(2).first().satisfies(port -> {
            assertThat(port.bytesPerSecond()).isEqualTo(7);
            assertThat(port.waitShare()).isNull();
        });
        fetched.from(address());
        assertThat(asked).hasValue(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{\"ports\": [{\"switch\": \"a\", \"port\": 1, \"bytesPerSecond\": -1}], \"hotSpots\": []}; a negative number of switch a port 1",
                "{\"ports\": [{\"switch\": \"a\"; Unexpected end-of-input",
                "{\"ports\": 7, \"hotSpots\": []}; ports is no list",
                "{\"ports\": [{\"switch\": 7, \"port\": \"x\"}], \"hotSpots\": []}; Cannot deserialize",
                "{\"ports\": [null], \"hotSpots\": []}; ports has an element that is null",
                "{\"ports\": [], \"hotSpots\": [null]}; hotSpots has an element that is null",
                "null; no ports",
                "{}; no ports"
            })
    void whatIsNoReportOfPortsIsRefusedWithItsAddress(String text, String why) throws IOException {
        body = gzip(text.getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() -> fetched.from(address()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("the sweep at " + address() + " says what cannot be read: ")
                .hasMessageContaining(why);
    }

    @Test
    void aTextThatUnfoldsToMoreThanAnyFabricNeedsIsRefused() throws IOException {
        body = gzip(new byte[17 << 20]);

        assertThatThrownBy(() -> fetched.from(address())).hasMessageContaining("more than 16777216 bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ports", "hotSpots"})
    void moreElementsThanAnyFabricHasPortsAreRefusedBeforeTheyTakeMemory(String field) throws IOException {
        body = gzip(("{\"" + field + "\": [{}" + ",{}".repeat(5_000_000)).getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() -> fetched.from(address())).hasMessageContaining("more than 200000 " + field);
    }

    @Test
    void aHotSpotForAReasonOfALaterSweeperIsLeftOut() throws Exception {
        body = gzip("""
                {"problem": "no data", "portsAtEnd": 2, "ports": [], "later": {"ports": 7}, "hotSpots": [
                 {"switch": "a001", "port": 3, "why": "Congestion", "value": 1, "since": "2026-11-28T12:00:00Z"},
                 {"switch": "a001", "port": 4, "why": "Waiting", "value": 1, "since": "2026-11-28T12:00:00Z"}]}
                """.getBytes(StandardCharsets.UTF_8));

        PortTrafficAnswer answer = fetched.from(address());
        assertThat(answer.hotSpots())
                .singleElement()
                .satisfies(hot -> assertThat(hot.why()).isEqualTo(HotReason.Waiting));
        assertThat(answer.problem()).isEqualTo("no data");
        assertThat(answer.portsAtEnd()).isEqualTo(2);
    }

    @Test
    void aSweepThatHangsHoldsBackWhoAsksAnotherOneNot() throws Exception {
        body = gzip("{\"ports\": [], \"hotSpots\": []}".getBytes(StandardCharsets.UTF_8));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        HttpServer hanging = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        hanging.createContext(FabricApi.PORTS_PATH, exchange -> {
            begun.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
        hanging.start();
        Thread waiting = Thread.ofVirtual().start(() -> {
            try {
                fetched.from("127.0.0.1:" + hanging.getAddress().getPort());
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("does not answer");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            begun.await();
            long start = System.nanoTime();
            fetched.from(address());
            assertThat(System.nanoTime() - start).isLessThan(5_000_000_000L);
            assertThat(waiting.isAlive()).isTrue();
        } finally {
            end.countDown();
            waiting.join();
            hanging.stop(0);
        }
    }

    @Test
    void aFailureIsToldForTwoSecondsWithoutAskingAgain() throws Exception {
        AtomicLong nanos = new AtomicLong();
        FetchedPorts patient = new FetchedPorts(new SteadyClock(nanos::get));
        assertThatThrownBy(() -> patient.from(address())).hasMessageContaining("has not yet");
        nanos.addAndGet(1_900_000_000L);
        assertThatThrownBy(() -> patient.from(address())).hasMessageContaining("has not yet");
        assertThat(asked).hasValue(1);

        body = gzip("{\"ports\": [], \"hotSpots\": []}".getBytes(StandardCharsets.UTF_8));
        nanos.addAndGet(100_000_000L);
        assertThat(patient.from(address()).ports()).isEmpty();
        assertThat(asked).hasValue(2);
    }

    @Test
    void aSweepThatLooksAtNoPortsAndOneThatIsGoneAreTold() {
        assertThatThrownBy(() -> fetched.from(address()))
                .hasMessage("the sweep at " + address() + " looks at no counters of data, or has not yet");
        sweep.stop(0);
        assertThatThrownBy(() -> new FetchedPorts(SteadyClock.system()).from(address()))
                .hasMessageStartingWith("the sweep at " + address() + " does not answer");
    }
}
