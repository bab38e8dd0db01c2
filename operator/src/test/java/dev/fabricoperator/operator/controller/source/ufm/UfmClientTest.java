/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.source.ufm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import dev.fabricoperator.operator.cluster.Backoff;
import dev.fabricoperator.operator.controller.source.ufm.UfmException.Kind;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class UfmClientTest {
    private static final UfmLimits LIMITS = new UfmLimits(
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Duration.ofSeconds(120),
            64L << 20,
            8L << 20,
            2,
            3,
            new Backoff(Duration.ofMillis(1), Duration.ofMillis(4)));

    private Appliance appliance;

    @BeforeEach
    void start() throws IOException, GeneralSecurityException {
        appliance = Appliance.start();
    }

    @AfterEach
    void stop() {
        appliance.close();
    }

    @Test
    void aTokenGoesToTheInterfaceForTokens() throws Exception {
        read(appliance.secret("token", "abc"), LIMITS);
        assertThat(appliance.requests).allMatch(path -> path.startsWith("/ufmRestV3/resources/"));
        assertThat(appliance.authorizations).containsOnly("Basic abc");
    }

    @Test
    void aPasswordGoesToTheOther() throws Exception {
        read(appliance.secret("username", "u", "password", "p"), LIMITS);
        assertThat(appliance.requests).allMatch(path -> path.startsWith("/ufmRest/resources/"));
        assertThat(appliance.authorizations).containsOnly("Basic " + Appliance.base64("u:p"));
    }

    @Test
    void aListWithoutPagesIsTheWhole() throws Exception {
        appliance.play("links", Appliance.json("[{\"a\":1},{\"b\":[{}]},{\"c\":null}]"));
        assertThat(read()).isEqualTo("{\"systems\":[],\"ports\":[],\"links\":[{\"a\":1},{\"b\":[{}]},{\"c\":null}]}");
    }

    @Test
    void pagesAreReadUntilOneIsNotFull() throws Exception {
        pages("{\"n\":1},{\"n\":2}", "{\"n\":3},{\"n\":4}", "{\"n\":5}");
        assertThat(read()).contains("\"links\":[{\"n\":1},{\"n\":2},{\"n\":3},{\"n\":4},{\"n\":5}]");
    }

    @Test
    void fullPagesEndWithAnEmptyOne() throws Exception {
        pages("{\"n\":1},{\"n\":2}", "");
        assertThat(read()).contains("\"links\":[{\"n\":1},{\"n\":2}]");
    }

    @Test
    void anApplianceThatGivesTheSamePageForEverIsStopped() {
        appliance.play("links", Appliance.json("{\"data\":[{\"n\":1},{\"n\":2}]}"));
        fails(Kind.Unreadable, "page_number=2", "the same page again");
    }

    @Test
    void pagesThatComeAgainInTurnAreStopped() {
        appliance.play("links", exchange -> {
            int number =
                    Integer.parseInt(exchange.getRequestURI().getQuery().replaceFirst("page_number=(\\d+)&.*", "$1"));
            Appliance.answer(exchange, 200, "application/json", "{\"data\":[{\"n\":%d},{}]}".formatted(number % 3));
        });
        fails(Kind.Unreadable, "page_number=4", "the same page again");
    }

    @Test
    void anotherTypeOfContentIsNoAnswer() {
        appliance.play("systems", exchange -> Appliance.answer(exchange, 200, "text/html", "<html>Log in</html>"));
        fails(Kind.Unreadable, "/resources/systems", "text/html, not JSON");
    }

    @Test
    void wrongTypesAreNamed() {
        for (String wrong : new String[] {"7", "null", "{}", "{\"data\":{}}", "{\"data\":null}", "\"x\""}) {
            appliance.play("ports", Appliance.json(wrong));
            fails(Kind.Unreadable, "/resources/ports", "a list is expected");
        }
        appliance.play("ports", Appliance.json("[{},7]"));
        fails(Kind.Unreadable, "element 2 of the list is no object");
    }

    @Test
    void aCutAnswerIsNoFabric() {
        for (String cut :
                new String[] {"", "[", "[{\"a\":1}", "[{\"a\":1},", "[{\"a", "{\"data\":[{}]", "{\"data\":[{}"}) {
            appliance.play("links", Appliance.json(cut));
            fails(Kind.Unreadable, "/resources/links");
        }
    }

    @Test
    void aConnectionThatBreaksIsNoFabric() {
        appliance.play("links", exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, 1000);
            exchange.getResponseBody().write("[{\"a\":1}".getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        assertThatThrownBy(this::read).isInstanceOf(IOException.class);
    }

    @Test
    void nestingHasAnEnd() {
        appliance.play("links", Appliance.json("[{\"a\":" + "[".repeat(100_000)));
        fails(Kind.Unreadable, "/resources/links");
    }

    @Test
    void aRedirectIsNotFollowed() {
        appliance.play("systems", exchange -> {
            exchange.getResponseHeaders().set("Location", "https://elsewhere.example/");
            Appliance.answer(exchange, 302, "text/html", "");
        });
        fails(Kind.Unreadable, "status 302", "credentials follow no redirect");
        assertThat(appliance.requests).hasSize(1);
    }

    @Test
    void wrongCredentialsAreNotTriedAgain() {
        appliance.play("systems", exchange -> Appliance.answer(exchange, 401, "text/html", ""));
        fails(Kind.Refused, "status 401");
        assertThat(appliance.requests).hasSize(1);
    }

    @Test
    void aBusyApplianceIsAskedAgain() throws Exception {
        AtomicInteger times = new AtomicInteger();
        appliance.play("systems", exchange -> {
            if (times.incrementAndGet() < 3) {
                Appliance.answer(exchange, 503, "text/html", "");
            } else {
                Appliance.answer(exchange, 200, "application/json", "[]");
            }
        });
        assertThat(read()).startsWith("{\"systems\":[]");
        times.set(-10);
        fails(Kind.Unreachable, "status 503");
    }

    @Test
    void anEndlessBodyIsStopped() {
        appliance.play("links", exchange -> endless(exchange, Duration.ZERO));
        UfmLimits small = new UfmLimits(
                LIMITS.connect(),
                LIMITS.answer(),
                LIMITS.whole(),
                4L << 20,
                LIMITS.compressedBytes(),
                LIMITS.pageSize(),
                LIMITS.attempts(),
                LIMITS.backoff());
        fails(() -> read(appliance.secret("token", "abc"), small), Kind.Unreadable, "larger than");
    }

    @Test
    void aBodyThatStandsStillIsNotWaitedFor() {
        appliance.play("links", exchange -> endless(exchange, Duration.ofSeconds(30)));
        UfmLimits impatient = new UfmLimits(
                LIMITS.connect(),
                LIMITS.answer(),
                Duration.ofSeconds(1),
                LIMITS.bytes(),
                LIMITS.compressedBytes(),
                2,
                1,
                LIMITS.backoff());
        fails(() -> read(appliance.secret("token", "abc"), impatient), Kind.Unreachable, "no complete answer within");
    }

    /** What reads next in this thread must not pay for it. */
    @Test
    void theEndOfAReadingInterruptsNothingElse() throws Exception {
        appliance.play("links", exchange -> endless(exchange, Duration.ZERO));
        UfmLimits impatient = new UfmLimits(
                LIMITS.connect(),
                LIMITS.answer(),
                Duration.ofMillis(60),
                256L << 20,
                LIMITS.compressedBytes(),
                2,
                1,
                LIMITS.backoff());
        for (int i = 0; i < 20; i++) {
            fails(() -> read(appliance.secret("token", "abc"), impatient), Kind.Unreachable, "PT0.06S");
            Thread.sleep(2);
        }
    }

    @Test
    void threeHundredThousandPortsFit() throws Exception {
        String port =
                "{\"guid\":\"0c42a10300021908\",\"number\":1,\"active_speed\":\"HDR\",\"logical_state\":\"Active\"}";
        appliance.play("ports", exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "application/json; charset=utf-8");
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                byte[] bytes = ("," + port).repeat(1000).getBytes(StandardCharsets.UTF_8);
                out.write(("[" + port).getBytes(StandardCharsets.UTF_8));
                for (int i = 0; i < 300; i++) {
                    out.write(bytes);
                }
                out.write(']');
            }
        });
        UfmLimits roomy = new UfmLimits(
                LIMITS.connect(),
                LIMITS.answer(),
                Duration.ofMinutes(1),
                256L << 20,
                LIMITS.compressedBytes(),
                1000,
                1,
                LIMITS.backoff());
        try (UfmClient client =
                        new UfmClient(appliance.uri(), UfmCredentials.of(appliance.secret("token", "abc")), roomy);
                Reader text = client.readWithin().open()) {
            char[] buffer = new char[1 << 16];
            long length = 0;
            for (int read = text.read(buffer); read >= 0; read = text.read(buffer)) {
                length += read;
            }
            assertThat(length).isGreaterThan(300_000L * port.length());
        }
    }

    @Test
    void anotherCertificateIsRefused() {
        fails(() -> read(Map.of("token", Appliance.base64("abc")), LIMITS), Kind.Refused, "TLS");
    }

    @Test
    void anApplianceThatIsAwayIsUnreachable() {
        appliance.close();
        fails(Kind.Unreachable, "/resources/systems");
    }

    @Test
    void aSecretWithoutCredentialsIsSaid() {
        fails(() -> read(appliance.secret(), LIMITS), Kind.Refused, "neither token nor username");
        fails(() -> read(appliance.secret("token", "a\nb: c"), LIMITS), Kind.Refused, "several lines");
        fails(
                () -> read(Map.of("token", Appliance.base64("a"), "ca.crt", Appliance.base64("none")), LIMITS),
                Kind.Refused,
                "ca.crt");
    }

    private void pages(String... pages) {
        appliance.play("links", exchange -> {
            int number =
                    Integer.parseInt(exchange.getRequestURI().getQuery().replaceFirst(".*page_number=(\\d+).*", "$1"));
            Appliance.answer(
                    exchange,
                    200,
                    "application/json",
                    "{\"num_of_pages\":3,\"data\":[" + pages[number - 1] + "],\"total_resources\":5}");
        });
    }

    private static void endless(HttpExchange exchange, Duration pause) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write("[{}".getBytes(StandardCharsets.UTF_8));
            byte[] more = ",{\"a\":1}".repeat(1000).getBytes(StandardCharsets.UTF_8);
            while (true) {
                out.write(more);
                out.flush();
                Thread.sleep(pause);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String read() throws IOException, InterruptedException {
        return read(appliance.secret("token", "abc"), LIMITS);
    }

    private String read(Map<String, String> secret, UfmLimits limits) throws IOException, InterruptedException {
        try (UfmClient client = new UfmClient(appliance.uri(), UfmCredentials.of(secret), limits);
                Reader text = client.readWithin().open()) {
            StringWriter whole = new StringWriter();
            text.transferTo(whole);
            return whole.toString();
        }
    }

    private void fails(Kind kind, String... words) {
        fails(this::read, kind, words);
    }

    private static void fails(ThrowingCallable call, Kind kind, String... words) {
        assertThatThrownBy(call).isInstanceOfSatisfying(UfmException.class, e -> {
            assertThat(e.kind()).isEqualTo(kind);
            assertThat(e.getMessage()).contains(words);
        });
    }
}
