/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.fabricoperator.operator.server.http.Exchange;
import dev.fabricoperator.operator.server.http.SharedLimit;
import dev.fabricoperator.operator.server.http.YieldingLimit;
import dev.fabricoperator.operator.server.query.QueryApi;
import dev.fabricoperator.operator.server.query.QuerySettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Sends answers: caching, compression, streams, Status objects. */
final class ResponseWriter {
    private static final Logger LOG = Logger.getLogger(ResponseWriter.class);
    /** As nginx has it. */
    private static final int CLIENT_CLOSED_REQUEST = 499;

    private static final int COMPRESSED_FROM_BYTES = 4 * 1024;
    private static final Duration PATIENCE_OF_STREAMS = Duration.ofSeconds(5);
    private static final Duration PATIENCE_OF_LARGE_ANSWERS = Duration.ofSeconds(1);
    private static final Duration LOOK_PAUSE = Duration.ofMillis(20);

    private final QuerySettings.Limits limits;
    private final MeterRegistry meters;
    private final YieldingLimit large;
    private final SharedLimit streams;

    ResponseWriter(QuerySettings.Limits limits, MeterRegistry meters) {
        this.limits = limits;
        this.meters = meters;
        // Who reads slowly has his for a minute, where nobody else wants it.
        large = new YieldingLimit(limits.largeAnswers(), Math.max(1, limits.largeAnswers() / 2));
        streams = new SharedLimit(limits.watches(), limits.watchesPerUser());
    }

    /** @param user by whom large answers are counted: {@link dev.fabricoperator.operator.server.auth.Caller#tenant} */
    void send(Exchange exchange, QueryResponse answer, String user) throws StatusException {
        HttpServerResponse response = exchange.response();
        answer.headers().forEach(response::putHeader);
        response.putHeader("Vary", "Accept, Accept-Encoding, Authorization");
        response.putHeader("Cache-Control", answer.etag() == null ? "no-store" : "no-cache, private");
        if (answer.etag() != null) {
            response.putHeader("ETag", "\"" + answer.etag() + "\"");
            if (matches(exchange.request().getHeader("If-None-Match"), answer.etag())) {
                sendNothing(exchange, response.setStatusCode(304));
                return;
            }
        }
        switch (answer) {
            case QueryResponse.Document document -> sendDocument(exchange, document);
            case QueryResponse.Written written -> sendWritten(exchange, written, user);
            case QueryResponse.Streamed stream ->
                throw new IllegalArgumentException("streams are sent otherwise: " + stream);
        }
    }

    private void sendNothing(Exchange exchange, HttpServerResponse response) {
        try {
            exchange.awaitTaken(response.end(), limits.request().toNanos());
            ended(exchange);
        } catch (IOException e) {
            LOG.debugf("answer to %s not sent: %s", exchange.request().path(), e.getMessage());
            reset(exchange);
        }
    }

    private void sendDocument(Exchange exchange, QueryResponse.Document document) {
        try {
            byte[] bytes = Json.MAPPER.writeValueAsBytes(document.body());
            exchange.response().putHeader("Content-Type", Format.json.mediaType());
            if (bytes.length >= COMPRESSED_FROM_BYTES && acceptsGzip(exchange.request())) {
                java.io.ByteArrayOutputStream packed = new java.io.ByteArrayOutputStream(bytes.length / 4);
                try (OutputStream out = new FastGzip(packed)) {
                    out.write(bytes);
                }
                exchange.response().putHeader("Content-Encoding", "gzip");
                bytes = packed.toByteArray();
            }
            exchange.awaitTaken(
                    exchange.response().end(Buffer.buffer(bytes)),
                    limits.request().toNanos());
            ended(exchange);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer cannot be written as JSON", e);
        } catch (IOException e) {
            LOG.debugf("answer to %s not sent: %s", exchange.request().path(), e.getMessage());
            reset(exchange);
        }
    }

    private void sendWritten(Exchange exchange, QueryResponse.Written written, String user) throws StatusException {
        boolean isLarge = written.estimatedBytes() > QueryResponse.Written.LARGE_BYTES;
        boolean admitted = false;
        try {
            admitted = isLarge && admitLarge(exchange, user);
            if (isLarge && !admitted) {
                throw StatusException.tooMany("too many large answers at one time");
            }
            boolean packed = written.estimatedBytes() >= COMPRESSED_FROM_BYTES && acceptsGzip(exchange.request());
            HttpServerResponse response = exchange.response().putHeader("Content-Type", written.mediaType());
            if (packed) {
                response.putHeader("Content-Encoding", "gzip");
            }
            response.setChunked(true);
            BlockingBody body = new BlockingBody(exchange, limits.request());
            OutputStream out = packed ? new FastGzip(body) : body;
            written.writer().write(out);
            out.close();
            ended(exchange);
        } catch (IOException e) {
            LOG.debugf("answer to %s not sent: %s", exchange.request().path(), e.getMessage());
            reset(exchange);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw StatusException.unavailable("the server stops");
        } finally {
            if (admitted) {
                large.release(exchange, user);
            }
        }
    }

    /** Waits a little: most large answers are over soon. */
    private boolean admitLarge(Exchange exchange, String user) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE_OF_LARGE_ANSWERS.toNanos();
        while (!large.tryAcquire(exchange, user)) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            Thread.sleep(LOOK_PAUSE);
        }
        return true;
    }

    /** Runs as long as the stream does. A client that has not taken a line after five seconds is dropped. */
    void stream(Exchange exchange, QueryResponse.Streamed answer, String user) throws StatusException {
        if (!streams.tryAcquire(user, 1)) {
            answer.source().close();
            throw StatusException.tooMany("too many streams at one time");
        }
        HttpServerResponse response = exchange.response();
        response.closeHandler(closed -> answer.source().close());
        response.exceptionHandler(failed -> answer.source().close());
        try (QueryResponse.Source source = answer.source()) {
            answer.headers().forEach(response::putHeader);
            response.putHeader("Content-Type", Format.json.mediaType()).putHeader("Cache-Control", "no-store");
            response.setChunked(true);
            for (Object line = source.next(); line != null; line = source.next()) {
                Buffer bytes =
                        Buffer.buffer(Json.MAPPER.writeValueAsBytes(line)).appendByte((byte) '\n');
                exchange.awaitTaken(response.write(bytes), PATIENCE_OF_STREAMS.toNanos());
            }
            response.end();
            ended(exchange);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            reset(exchange);
        } catch (IOException e) {
            LOG.debugf("stream to %s ended: %s", user, e.getMessage());
            reset(exchange);
        } finally {
            streams.release(user, 1);
        }
    }

    void refuse(Exchange exchange, StatusException refusal, String fabric) {
        HttpServerResponse response = exchange.response();
        if (response.ended() || response.closed() || response.headWritten()) {
            reset(exchange);
            return;
        }
        Map<String, String> headers = new HashMap<>();
        headers.put("Content-Type", Format.json.mediaType());
        headers.put("Cache-Control", "no-store");
        if (refusal.code() == 405) {
            headers.put("Allow", "GET");
        }
        if (refusal.retryAfterSeconds() != null) {
            headers.put("Retry-After", refusal.retryAfterSeconds().toString());
        }
        try {
            exchange.send(
                    refusal.code(),
                    headers,
                    Json.MAPPER.writeValueAsBytes(refusal.status(QueryApi.GROUP, fabric.isEmpty() ? null : fabric)));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a Status cannot be written as JSON", e);
        }
        // What it holds goes when its client has taken the answer.
        record(exchange, refusal.code());
    }

    private void reset(Exchange exchange) {
        if (!exchange.response().closed()) {
            exchange.response().reset();
        }
        ended(exchange, CLIENT_CLOSED_REQUEST);
    }

    private void ended(Exchange exchange) {
        ended(exchange, exchange.response().getStatusCode());
    }

    private void ended(Exchange exchange, int code) {
        exchange.ended();
        record(exchange, code);
    }

    private void record(Exchange exchange, int code) {
        Timer.builder("fabric_operator_query")
                .description("Requests to the query API")
                .tag("code", Integer.toString(code))
                .register(meters)
                .record(exchange.age());
    }

    private static boolean matches(@Nullable String ifNoneMatch, String etag) {
        return ifNoneMatch != null
                && Arrays.stream(ifNoneMatch.split(",", -1))
                        .map(String::strip)
                        .map(tag -> tag.startsWith("W/") ? tag.substring(2) : tag)
                        .anyMatch(tag -> tag.equals("*") || tag.equals("\"" + etag + "\""));
    }

    private static boolean acceptsGzip(HttpServerRequest request) {
        String accepted = request.getHeader("Accept-Encoding");
        return accepted != null
                && Arrays.stream(accepted.split(",", -1))
                        .map(String::strip)
                        .anyMatch(coding -> coding.equals("gzip")
                                || coding.equals("*")
                                || (coding.startsWith("gzip;") && !coding.matches("gzip;\\s*q=0(\\.0*)?")));
    }

    /** Costs repeat so much that the quickest compression leaves a tenth. */
    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out, 16 * 1024);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }
}
