/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * What sweeps say that ports send, fetched when somebody asks, once a second at most from each. Nobody proves that the answer is the sweep's: it comes from the address that the sweep
 * has reported through the API server, in plain HTTP.
 *
 * <pre>
 * Bounds: {@value #MOST_BYTES} bytes an answer, one at a time; {@link #LIMIT}.
 * </pre>
 */
final class FetchedPorts {
    /** That of 80,000 ports has 14 MB. */
    private static final int MOST_BYTES = 32 << 20;

    private static final int MOST_KEPT = 16;
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration FRESH = Duration.ofSeconds(1);
    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private final SteadyClock clock;
    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(LIMIT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    private final Map<String, Kept> byAddress = new LinkedHashMap<>();

    private record Kept(Instant at, PortTrafficAnswer answer) {}

    FetchedPorts(SteadyClock clock) {
        this.clock = clock;
    }

    /**
     * What the sweep at an address says.
     *
     * @param address IP address and port
     * @throws IOException if it does not answer, or not with what a sweep says
     */
    synchronized PortTrafficAnswer from(String address) throws IOException, InterruptedException {
        Instant now = clock.instant();
        byAddress.values().removeIf(kept -> !now.isBefore(kept.at().plus(FRESH)));
        Kept kept = byAddress.get(address);
        if (kept != null) {
            return kept.answer();
        }
        PortTrafficAnswer answer = fetch(address);
        if (byAddress.size() < MOST_KEPT) {
            byAddress.put(address, new Kept(clock.instant(), answer));
        }
        return answer;
    }

    private PortTrafficAnswer fetch(String address) throws IOException, InterruptedException {
        URI uri = URI.create("http://" + address + FabricApi.PORTS_PATH);
        CompletableFuture<HttpResponse<byte[]>> asked = http.sendAsync(
                HttpRequest.newBuilder(uri).build(),
                HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofByteArray(), MOST_BYTES));
        try {
            HttpResponse<byte[]> response = asked.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            if (response.statusCode() != 200) {
                throw new IOException(
                        response.statusCode() == 404
                                ? "the sweep at " + address + " looks at no counters of data, or has not yet"
                                : "the sweep at " + address + " answers with status " + response.statusCode());
            }
            return read(address, response.body());
        } catch (TimeoutException e) {
            throw new IOException(
                    "the sweep at " + address + " gives no whole answer within " + LIMIT.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            // That of a refused connection has no message.
            throw new IOException(
                    "the sweep at " + address + " does not answer: "
                            + Objects.requireNonNullElse(cause.getMessage(), cause.toString()),
                    e);
        } finally {
            asked.cancel(true);
        }
    }

    private static PortTrafficAnswer read(String address, byte[] gzip) throws IOException {
        PortTrafficAnswer answer;
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
            byte[] text = in.readNBytes(MOST_BYTES + 1);
            if (text.length > MOST_BYTES) {
                throw new IOException("more than " + MOST_BYTES + " bytes");
            }
            answer = JSON.readValue(text, PortTrafficAnswer.class);
        } catch (JsonProcessingException e) {
            throw unreadable(address, e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw unreadable(address, String.valueOf(e.getMessage()), e);
        }
        if (answer == null || answer.ports() == null || answer.hotSpots() == null) {
            throw unreadable(address, "no ports", null);
        }
        for (PortTrafficAnswer.Port port : answer.ports()) {
            if (isNegative(port.bytesPerSecond())
                    || isNegative(port.utilisation())
                    || isNegative(port.waitShare())
                    || isNegative(port.discards())) {
                throw unreadable(
                        address, "a negative number of switch " + port.switchId() + " port " + port.port(), null);
            }
        }
        return answer;
    }

    private static boolean isNegative(@Nullable Number number) {
        return number != null && !(number.doubleValue() >= 0);
    }

    private static IOException unreadable(String address, String why, @Nullable Exception cause) {
        return new IOException("the sweep at " + address + " says what cannot be read: " + why, cause);
    }
}
