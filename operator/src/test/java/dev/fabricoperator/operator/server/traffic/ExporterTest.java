/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.CounterPreset;
import dev.fabricoperator.crds.CounterSource;
import dev.fabricoperator.crds.CounterSourceBuilder;
import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.traffic.HotReason;
import dev.fabricoperator.operator.HandMovedClock;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two leaves with a cable of 1 Gbit/s between them, of which an exporter tells. */
class ExporterTest {
    private static final long MOST_BYTES = 1 << 20;
    private static final long WHOLE_LINK = 125_000_000;
    private static final List<Switch> SWITCHES = List.of(leaf(0), leaf(1));

    private final HandMovedClock clock = new HandMovedClock(Instant.parse("2026-01-01T00:00:00Z"));
    private HttpServer server;
    private MetricsWay way;
    private Answering answering = exchange -> {};

    /** Answers a question. */
    private interface Answering {
        void answer(HttpExchange exchange) throws IOException;
    }

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                answering.answer(exchange);
            }
        });
        server.setExecutor(java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        way = way(List.of(host()), 30);
    }

    private String host() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    private static MetricsWay way(List<String> hosts, int seconds) {
        return new MetricsWay(hosts, Duration.ofSeconds(seconds), MOST_BYTES);
    }

    @AfterEach
    void stop() {
        way.close();
        server.stop(0);
    }

    private static Switch leaf(int leaf) {
        return SwitchBuilder.builder()
                .id("aa:bb:cc:dd:ee:0" + leaf)
                .name("Leaf-" + leaf)
                .source("s")
                .ports(List.of(SwitchPortBuilder.builder()
                        .number(3)
                        .peer(new PortPeer("aa:bb:cc:dd:ee:0" + (1 - leaf), 3))
                        .state(PortState.Active)
                        .speedBitsPerSecond(8 * WHOLE_LINK)
                        .build()))
                .build();
    }

    private Exporter exporter(CounterPreset preset) {
        return new Exporter(source(preset), clock.steady(), clock);
    }

    private CounterSource source(CounterPreset preset) {
        return CounterSourceBuilder.builder()
                .url("http://" + host() + "/metrics")
                .preset(preset)
                .build();
    }

    private void say(String text) {
        answering = exchange -> {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        };
    }

    private static String sent(String instance, long octets) {
        return "node_network_transmit_bytes_total{device=\"swp3\",instance=\"" + instance + "\"} " + octets + "\n"
                + "node_network_receive_bytes_total{device=\"swp3\",instance=\"" + instance + "\"} " + octets + "\n";
    }

    private PortTrafficAnswer look(Exporter exporter) throws InterruptedException {
        clock.move(Duration.ofSeconds(10));
        exporter.look(SWITCHES, way);
        return exporter.answer();
    }

    /** Of one that has told two good looks. */
    private Exporter hot() throws InterruptedException {
        Exporter exporter = exporter(CounterPreset.Node);
        say(sent("leaf-0:9100", 0) + sent("leaf-1", 0));
        assertThat(look(exporter).hotSpots()).isEmpty();
        say(sent("leaf-0:9100", 9 * WHOLE_LINK) + sent("leaf-1", 0));
        look(exporter);
        return exporter;
    }

    @Test
    void aPortThatSendsNineTenthsOfItsLinkIsHotWhateverTheLabelsCallIt() throws Exception {
        PortTrafficAnswer answer = hot().answer();

        assertThat(answer.problem()).isNull();
        assertThat(answer.asOf()).isNotNull();
        assertThat(answer.ports()).hasSize(2);
        assertThat(answer.hotSpots()).singleElement().satisfies(spot -> {
            assertThat(spot.switchId()).isEqualTo("aa:bb:cc:dd:ee:00");
            assertThat(spot.port()).isEqualTo(3);
            assertThat(spot.why()).isEqualTo(HotReason.Utilisation);
            assertThat(spot.value()).isBetween(0.89, 0.91);
        });
    }

    private void remains(Exporter exporter, String problem) throws InterruptedException {
        PortTrafficAnswer answer = look(exporter);
        assertThat(answer.problem()).contains(problem);
        assertThat(answer.hotSpots()).as(problem).hasSize(1);
        assertThat(Objects.requireNonNull(answer.ports()).stream().map(PortTrafficAnswer.Port::bytesPerSecond))
                .as(problem)
                .contains(9 * WHOLE_LINK / 10);
    }

    @Test
    void whatCannotBeReadIsSaidAndTheLastGoodStateStaysForAMinute() throws Exception {
        Exporter exporter = hot();
        say(sent("leaf-0", 18 * WHOLE_LINK).stripTrailing());
        remains(exporter, "it was cut");
        say(sent("leaf-0", 0).replace("} 0", "} many"));
        remains(exporter, "is no number of things counted: \"many\"");
        answering = exchange -> exchange.sendResponseHeaders(503, -1);
        remains(exporter, "answers with status 503");
        answering = exchange -> {
            exchange.getResponseHeaders().add("Location", "http://127.0.0.1:1/");
            exchange.sendResponseHeaders(302, -1);
        };
        remains(exporter, "no redirection is followed");
        byte[] comments = new byte[1 << 16];
        Arrays.fill(comments, (byte) '#');
        comments[comments.length - 1] = '\n';
        for (int i = 4095; i < comments.length; i += 4096) {
            comments[i] = '\n';
        }
        answering = exchange -> {
            exchange.sendResponseHeaders(200, 2L << 30);
            try (OutputStream out = exchange.getResponseBody()) {
                while (true) {
                    out.write(comments);
                }
            }
        };
        remains(exporter, "answers more than " + MOST_BYTES + " bytes");
        answering = exchange -> {
            exchange.sendResponseHeaders(200, 0);
            OutputStream out = exchange.getResponseBody();
            out.write("# wait\n".getBytes(StandardCharsets.UTF_8));
            out.flush();
            try {
                Thread.sleep(Duration.ofSeconds(20));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        try (MetricsWay impatient = way(List.of(host()), 1)) {
            clock.move(Duration.ofSeconds(10));
            exporter.look(SWITCHES, impatient);
            PortTrafficAnswer forgotten = exporter.answer();
            assertThat(forgotten.problem()).contains("gives no whole answer within 1 s");
            assertThat(forgotten.ports()).isEmpty();
            assertThat(forgotten.hotSpots()).isEmpty();
        }
    }

    @Test
    void whatIsOfNoSwitchOfTheFabricIsSaid() throws Exception {
        say(sent("spine-9", 1));
        PortTrafficAnswer answer = look(exporter(CounterPreset.Node));
        assertThat(answer.problem()).contains("spine-9", "switchLabel");
        assertThat(answer.ports()).isEmpty();
    }

    @Test
    void noOtherAddressIsAskedThanSettingsName() throws Exception {
        say(sent("leaf-0", 1));
        try (MetricsWay none = way(List.of("127.0.0.1", "example.com"), 30)) {
            Exporter exporter = exporter(CounterPreset.Node);
            exporter.look(SWITCHES, none);
            assertThat(exporter.answer().problem())
                    .contains("is not asked: name 127.0.0.1:", "FABRIC_OPERATOR_COUNTERS_HOSTS");
        }
    }

    private List<Long> rates(Exporter exporter) {
        return Objects.requireNonNull(exporter.answer().ports()).stream()
                .filter(port -> port.switchId().endsWith(":00"))
                .map(PortTrafficAnswer.Port::bytesPerSecond)
                .toList();
    }

    /** With a time behind each value. */
    private String scraped(long octets, Instant at) {
        return sent("leaf-0", octets).replace("\n", " " + at.toEpochMilli() + "\n");
    }

    @Test
    void aValueThatIsToldAgainIsNoNewLookAndIsForgottenAfterFiveMinutes() throws Exception {
        Exporter exporter = exporter(CounterPreset.Node);
        Instant scrape = clock.instant();
        for (int minute = 0; minute < 3; minute++) {
            Instant at = scrape.plus(Duration.ofMinutes(minute));
            say(scraped(minute * 600_000L, at));
            for (int i = 0; i < 6; i++) {
                look(exporter);
                if (minute > 0) {
                    assertThat(rates(exporter)).containsExactly(10_000L);
                    assertThat(exporter.answer().asOf())
                            .startsWith(at.toString().substring(0, 19));
                } else {
                    assertThat(rates(exporter)).containsExactly((Long) null);
                }
            }
        }
        say(scraped(0, scrape));
        look(exporter);
        assertThat(rates(exporter)).as("an older value changes nothing").containsExactly(10_000L);

        say(scraped(1_200_000, scrape.plus(Duration.ofMinutes(2))));
        clock.move(Exporter.OLDEST);
        assertThat(look(exporter).problem()).contains("nothing new of 1 ports for 5 minutes");
        assertThat(exporter.answer().ports()).isEmpty();

        say(scraped(9_000_000, scrape.plus(Duration.ofMinutes(10))));
        look(exporter);
        assertThat(rates(exporter)).containsExactly((Long) null);
        say(scraped(9_600_000, scrape.plus(Duration.ofMinutes(11))));
        assertThat(look(exporter).problem()).isNull();
        assertThat(rates(exporter)).containsExactly(10_000L);
    }

    @Test
    void anAnswerWithoutTimesOfWhichNothingHasChangedIsNoNewLook() throws Exception {
        Exporter exporter = exporter(CounterPreset.Node);
        for (int i = 0; i < 12; i++) {
            // Read every minute by whoever tells it.
            say(sent("leaf-0", i / 6 * 600_000L));
            look(exporter);
        }
        assertThat(rates(exporter)).containsExactly(10_000L);
    }

    @Test
    void oneBadValueIsUnknownAndSaidAndAllElseIsKnown() throws Exception {
        Exporter exporter = exporter(CounterPreset.Node);
        say(sent("leaf-0", 0) + sent("leaf-1", 0));
        look(exporter);
        say(sent("leaf-0", 10_000) + sent("leaf-1", 0).replace("} 0", "} NaN"));
        assertThat(look(exporter).problem()).contains("2 values that count nothing");
        assertThat(rates(exporter)).containsExactly(1_000L);
    }

    @Test
    void portsAtTheEndOfACounterAreCounted() throws Exception {
        say(sent("leaf-0", 4 * 0xffff_ffffL));
        assertThat(look(exporter(CounterPreset.Node)).portsAtEnd()).isEqualTo(1);
    }

    @Test
    void namesOfPortsThatAreNotThoseOfTheMapAreSaid() throws Exception {
        say(sent("leaf-0", 0).replace("swp3", "server01"));
        PortTrafficAnswer answer = look(exporter(CounterPreset.Node));
        assertThat(answer.ports()).isEmpty();
        assertThat(answer.problem()).contains("at 1 switches, such as Leaf-0");
    }

    @Test
    void aNameThatTwoSwitchesHaveIsNoneOfThem() throws Exception {
        Switch twin = SwitchBuilder.builder(leaf(1)).name("leaf-0").build();
        say(sent("leaf-0", 0));
        Exporter exporter = exporter(CounterPreset.Node);
        exporter.look(List.of(leaf(0), twin), way);
        assertThat(exporter.answer().ports()).isEmpty();
        assertThat(exporter.answer().problem()).contains("of no other switch");
    }

    @Test
    void aSlowExporterIsAskedForATenthOfTheTimeAtMost() throws Exception {
        Exporter exporter = exporter(CounterPreset.Node);
        AtomicInteger asked = new AtomicInteger();
        answering = exchange -> {
            asked.incrementAndGet();
            clock.move(Duration.ofSeconds(5));
            exchange.sendResponseHeaders(503, -1);
        };
        for (int i = 0; i < 6; i++) {
            look(exporter);
        }
        assertThat(asked).as("5 s, then 50 s without").hasValue(2);
    }

    @Test
    void twoEntriesOfOneUrlAreToldApart() {
        assertThat(CounterSources.id(source(CounterPreset.Node)))
                .isEqualTo(CounterSources.id(source(CounterPreset.Node)))
                .isNotEqualTo(CounterSources.id(source(CounterPreset.Snmp)));
    }

    @Test
    void toWaitForTheTextOfAnotherIsNoPartOfWhatALookTakes() throws Exception {
        say(sent("leaf-0", 0) + sent("leaf-1", 0));
        CountDownLatch isRead = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Thread other = Thread.startVirtualThread(() -> {
            try {
                way.read("http://" + host() + "/other", text -> {
                    isRead.countDown();
                    await(goOn);
                    return "";
                });
            } catch (IOException | BadInputException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        await(isRead);
        AtomicInteger questions = new AtomicInteger();
        CountDownLatch asked = new CountDownLatch(1);
        Answering plain = answering;
        answering = exchange -> {
            questions.incrementAndGet();
            plain.answer(exchange);
            asked.countDown();
        };
        Exporter exporter = exporter(CounterPreset.Node);
        Thread waiting = Thread.startVirtualThread(() -> {
            try {
                exporter.look(SWITCHES, way);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        await(asked);
        Thread.sleep(2_000);
        // As much of it passes on the clock by which looks are paced: ten times that is more than the time until the
        // next one.
        clock.move(Duration.ofMillis(1_500));
        goOn.countDown();
        other.join();
        waiting.join();
        look(exporter);
        assertThat(questions).hasValue(2);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
