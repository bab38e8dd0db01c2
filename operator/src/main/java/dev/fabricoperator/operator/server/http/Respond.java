/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.fabricoperator.operator.server.query.QueryApi;
import dev.fabricoperator.operator.server.query.QuerySettings;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Sends answers: caching, compression, streams, Status objects. */
final class Respond {
    private static final Logger LOG = Logger.getLogger(Respond.class);
    private static final int LARGE_BYTES = 1 << 20;
    private static final int COMPRESSED_FROM_BYTES = 4 * 1024;
    private static final Duration PATIENCE_OF_STREAMS = Duration.ofSeconds(5);

    private final QuerySettings.Limits limits;
    private final RequestLog log;
    private final Semaphore large;
    private final Quota streams;

    Respond(QuerySettings.Limits limits, RequestLog log) {
        this.limits = limits;
        this.log = log;
        large = new Semaphore(limits.largeAnswers());
        streams = new Quota(limits.watches(), limits.watchesPerUser());
    }

    void send(Exchange exchange, Answer answer) throws Refusal {
        HttpServerResponse response = exchange.response();
        answer.headers().forEach(response::putHeader);
        response.putHeader("Vary", "Accept, Accept-Encoding, Authorization");
        response.putHeader("Cache-Control", answer.etag() == null ? "no-store" : "no-cache, private");
        if (answer.etag() != null) {
            response.putHeader("ETag", "\"" + answer.etag() + "\"");
            if (matches(exchange.request().getHeader("If-None-Match"), answer.etag())) {
                response.setStatusCode(304).end();
                ended(exchange);
                return;
            }
        }
        switch (answer) {
            case Answer.Document document -> sendDocument(exchange, document);
            case Answer.Written written -> sendWritten(exchange, written);
            case Answer.Streamed stream -> throw new IllegalArgumentException("streams are sent otherwise: " + stream);
        }
    }

    private void sendDocument(Exchange exchange, Answer.Document document) {
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
            exchange.response().end(Buffer.buffer(bytes));
            ended(exchange);
        } catch (IOException e) {
            throw new IllegalStateException("an answer cannot be written as JSON", e);
        }
    }

    private void sendWritten(Exchange exchange, Answer.Written written) throws Refusal {
        boolean isLarge = written.estimatedBytes() > LARGE_BYTES;
        boolean admitted = false;
        try {
            admitted = isLarge && large.tryAcquire(1, TimeUnit.SECONDS);
            if (isLarge && !admitted) {
                throw Refusal.tooMany("too many large answers at one time");
            }
            boolean packed = written.estimatedBytes() >= COMPRESSED_FROM_BYTES && acceptsGzip(exchange.request());
            HttpServerResponse response = exchange.response().putHeader("Content-Type", written.mediaType());
            if (packed) {
                response.putHeader("Content-Encoding", "gzip");
            }
            response.setChunked(true);
            Sending body = new Sending(response, limits.request());
            OutputStream out = packed ? new FastGzip(body) : body;
            written.writer().write(out);
            out.close();
            ended(exchange);
        } catch (IOException e) {
            LOG.debugf("answer to %s not sent: %s", exchange.request().path(), e.getMessage());
            reset(exchange);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Refusal.unavailable("the server stops");
        } finally {
            if (admitted) {
                large.release();
            }
        }
    }

    /** Runs as long as the stream does. A client that has not taken a line after five seconds is dropped. */
    void stream(Exchange exchange, Answer.Streamed answer, String user) throws Refusal {
        if (!streams.take(user)) {
            answer.source().close();
            throw Refusal.tooMany("too many streams at one time");
        }
        HttpServerResponse response = exchange.response();
        response.closeHandler(closed -> answer.source().close());
        response.exceptionHandler(failed -> answer.source().close());
        try (Answer.Source source = answer.source()) {
            answer.headers().forEach(response::putHeader);
            response.putHeader("Content-Type", Format.json.mediaType()).putHeader("Cache-Control", "no-store");
            response.setChunked(true);
            for (Object line = source.next(); line != null; line = source.next()) {
                Buffer bytes =
                        Buffer.buffer(Json.MAPPER.writeValueAsBytes(line)).appendByte((byte) '\n');
                Sending.await(response.write(bytes), PATIENCE_OF_STREAMS.toNanos());
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
            streams.giveBack(user);
        }
    }

    /** @param close whether what else comes on this connection is not worth reading */
    void refuse(Exchange exchange, Refusal refusal, String fabric, boolean close) {
        HttpServerResponse response = exchange.response();
        if (response.ended() || response.closed() || response.headWritten()) {
            reset(exchange);
            return;
        }
        response.setStatusCode(refusal.code())
                .putHeader("Content-Type", Format.json.mediaType())
                .putHeader("Cache-Control", "no-store");
        if (refusal.code() == 401) {
            response.putHeader("WWW-Authenticate", "Bearer");
        }
        if (refusal.code() == 405) {
            response.putHeader("Allow", "GET");
        }
        if (refusal.retryAfterSeconds() != null) {
            response.putHeader("Retry-After", refusal.retryAfterSeconds().toString());
        }
        if (close && exchange.request().version() != HttpVersion.HTTP_2) {
            response.putHeader("Connection", "close");
        }
        try {
            response.end(Buffer.buffer(
                    Json.MAPPER.writeValueAsBytes(refusal.status(QueryApi.GROUP, fabric.isEmpty() ? null : fabric))));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a Status cannot be written as JSON", e);
        }
        ended(exchange);
    }

    private void reset(Exchange exchange) {
        if (!exchange.response().closed()) {
            exchange.response().reset();
        }
        log.ended(499, Duration.ofNanos(System.nanoTime() - exchange.startNanos()));
    }

    private void ended(Exchange exchange) {
        log.ended(exchange.response().getStatusCode(), Duration.ofNanos(System.nanoTime() - exchange.startNanos()));
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
