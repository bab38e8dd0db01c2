/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.view.answer.PortTrafficAnswer;
import dev.fabricoperator.view.answer.PortTrafficAnswer.HotSpot;
import dev.fabricoperator.view.answer.PortTrafficAnswer.Port;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * What sweeps say that ports send, fetched when somebody asks, once a second at most from each. Nobody proves that the answer is the sweep's: it comes from the address that the sweep
 * has reported through the API server, in plain HTTP.
 *
 * <pre>
 * Bounds: {@value #MOST_BYTES} bytes of text, {@value #MOST_PORTS} ports and as many hot spots an answer; {@link #LIMIT}; {@value #MOST_KEPT} answers are kept.
 * </pre>
 */
final class FetchedPorts {
    /** That of 80,000 ports has 14 MB. */
    private static final int MOST_BYTES = 16 << 20;

    /** An empty one takes three bytes of text, and far more of memory. */
    private static final int MOST_PORTS = 200_000;

    private static final int MOST_KEPT = 16;
    private static final int LONGEST_PROBLEM = 300;
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration FRESH = Duration.ofSeconds(1);
    /** How long a failure is told again to whoever asks: those that wait would each wait for a sweep that hangs. */
    private static final Duration FAILED = Duration.ofSeconds(2);

    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private final SteadyClock clock;
    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(LIMIT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
    /** The eldest first. */
    private final Map<String, Sweep> byAddress = new LinkedHashMap<>();

    /** What a sweep has said, or why not. */
    private record Kept(
            Instant until,
            @Nullable PortTrafficAnswer answer,
            @Nullable IOException failure) {}

    /** One address: who holds its lock asks it. */
    private static final class Sweep {
        private final ReentrantLock asking = new ReentrantLock();
        private volatile @Nullable Kept kept;

        boolean isOver(Instant now) {
            Kept last = kept;
            return !asking.isLocked() && (last == null || !now.isBefore(last.until()));
        }
    }

    FetchedPorts(SteadyClock clock) {
        this.clock = clock;
    }

    /**
     * What the sweep at an address says.
     *
     * @param address IP address and port
     * @throws IOException if it does not answer, or not with what a sweep says
     */
    PortTrafficAnswer from(String address) throws IOException, InterruptedException {
        return fromOther("the sweep at " + address, () -> fetch(address));
    }

    /** Asks for a document. */
    @FunctionalInterface
    interface Asking {
        byte[] ask() throws IOException, InterruptedException;
    }

    /**
     * The same of whoever is asked in another way.
     *
     * @param who what to call it, and by which it is known again
     * @param asking for JSON, compressed
     */
    PortTrafficAnswer from(String who, Asking asking) throws IOException, InterruptedException {
        return fromOther(who, () -> read(who, asking.ask()));
    }

    /** Asks once. */
    @FunctionalInterface
    private interface Question {
        PortTrafficAnswer ask() throws IOException, InterruptedException;
    }

    private PortTrafficAnswer fromOther(String address, Question question) throws IOException, InterruptedException {
        Sweep sweep = sweep(address);
        sweep.asking.lockInterruptibly();
        try {
            Kept kept = sweep.kept;
            if (kept == null || !clock.instant().isBefore(kept.until())) {
                kept = ask(question);
                sweep.kept = kept;
            }
            if (kept.answer() == null) {
                IOException failure = Objects.requireNonNull(kept.failure());
                throw new IOException(failure.getMessage(), failure);
            }
            return kept.answer();
        } finally {
            sweep.asking.unlock();
        }
    }

    private Sweep sweep(String address) {
        synchronized (byAddress) {
            Instant now = clock.instant();
            byAddress
                    .entrySet()
                    .removeIf(each ->
                            !each.getKey().equals(address) && each.getValue().isOver(now));
            Sweep sweep = byAddress.computeIfAbsent(address, any -> new Sweep());
            if (byAddress.size() > MOST_KEPT) {
                byAddress.remove(byAddress.keySet().iterator().next());
            }
            return sweep;
        }
    }

    private Kept ask(Question question) throws InterruptedException {
        try {
            PortTrafficAnswer answer = question.ask();
            return new Kept(clock.instant().plus(FRESH), answer, null);
        } catch (IOException e) {
            return new Kept(clock.instant().plus(FAILED), null, e);
        }
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
            return read("the sweep at " + address, response.body());
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

    private static PortTrafficAnswer read(String who, byte[] gzip) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
            byte[] text = in.readNBytes(MOST_BYTES + 1);
            if (text.length > MOST_BYTES) {
                throw new IOException("more than " + MOST_BYTES + " bytes");
            }
            return read(text);
        } catch (JsonProcessingException e) {
            throw unreadable(who, e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw unreadable(who, String.valueOf(e.getMessage()), e);
        }
    }

    private static PortTrafficAnswer read(byte[] text) throws IOException {
        String asOf = null;
        String problem = null;
        Integer portsAtEnd = null;
        List<Port> ports = null;
        List<HotSpot> hotSpots = null;
        try (JsonParser parser = JSON.createParser(text)) {
            boolean isObject = parser.nextToken() == JsonToken.START_OBJECT;
            String field = isObject ? parser.nextFieldName() : null;
            while (field != null) {
                parser.nextToken();
                switch (field) {
                    case "asOf" -> asOf = parser.getValueAsString();
                    case "problem" -> problem = parser.getValueAsString();
                    case "portsAtEnd" -> portsAtEnd = parser.readValueAs(Integer.class);
                    case "ports" -> ports = elements(parser, field, Port.class);
                    case "hotSpots" -> hotSpots = elements(parser, field, HotSpot.class);
                    default -> {}
                }
                parser.skipChildren();
                field = parser.nextFieldName();
            }
        }
        if (ports == null || hotSpots == null) {
            throw new IOException("no ports");
        }
        for (Port port : ports) {
            if (isNegative(port.bytesPerSecond())
                    || isNegative(port.utilisation())
                    || isNegative(port.waitShare())
                    || isNegative(port.discards())) {
                throw new IOException("a negative number of switch " + port.switchId() + " port " + port.port());
            }
        }
        // A later version may know more reasons.
        hotSpots.removeIf(each -> each.why() == null);
        return new PortTrafficAnswer(
                null,
                asOf,
                problem == null ? null : Conditions.bounded(problem, LONGEST_PROBLEM),
                ports,
                hotSpots,
                portsAtEnd,
                null);
    }

    private static <T> List<T> elements(JsonParser parser, String field, Class<T> type) throws IOException {
        if (!parser.isExpectedStartArrayToken()) {
            throw new IOException(field + " is no list");
        }
        List<T> elements = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (elements.size() == MOST_PORTS) {
                throw new IOException("more than " + MOST_PORTS + " " + field);
            }
            T element = parser.readValueAs(type);
            if (element == null) {
                throw new IOException(field + " has an element that is null");
            }
            elements.add(element);
        }
        return elements;
    }

    private static boolean isNegative(@Nullable Number number) {
        return number != null && !(number.doubleValue() >= 0);
    }

    private static IOException unreadable(String who, String why, @Nullable Exception cause) {
        return new IOException(who + " says what cannot be read: " + why, cause);
    }
}
