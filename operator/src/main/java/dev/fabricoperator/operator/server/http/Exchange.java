/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import io.netty.buffer.Unpooled;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A request in work, from its last header field to the last byte of its answer that the client has taken. Whoever answers it calls
 * {@link #send}, or answers by {@link #response} and calls {@link #ended}.
 */
public final class Exchange {
    /** Large answers go in parts, so that a client that reads slowly keeps one of them in memory and not all. */
    static final int PART_BYTES = 64 * 1024;

    private static final String KEY = Exchange.class.getName();
    /** Bodies up to this are read to their end although nobody wants them, so that the connection can be used again. */
    private static final int DISCARDED_BYTES = 64 * 1024;

    private final Listener listener;
    private final RoutingContext routing;
    private final Context eventLoop;
    private final ClientConnection connection;
    private final long startNanos = System.nanoTime();
    private volatile Phase phase = Phase.work;
    private volatile long phaseNanos = startNanos;
    private long bodyBytes;
    /** Whether {@link #send} has begun an answer. On the event loop. */
    private boolean answered;

    /** Whether a part of the body was not taken. On the event loop. */
    private boolean bodyRefused;

    private boolean ended;
    private final CompletableFuture<Void> gaveWay = new CompletableFuture<>();

    private enum Phase {
        /** Its body is on its way. */
        body,
        /** It waits for its answer. */
        work,
        /** Its answer is on its way. */
        answer
    }

    Exchange(Listener listener, RoutingContext routing, ClientConnection connection) {
        this.listener = listener;
        this.routing = routing;
        this.eventLoop = routing.vertx().getOrCreateContext();
        this.connection = connection;
        routing.put(KEY, this);
    }

    /** That of a request which a route of a {@link Listener} has got. */
    static Exchange of(RoutingContext routing) {
        return Objects.requireNonNull(find(routing));
    }

    /** {@code null} for a request that has come to no route. */
    static @Nullable Exchange find(RoutingContext routing) {
        return routing.get(KEY);
    }

    public HttpServerRequest request() {
        return routing.request();
    }

    public HttpServerResponse response() {
        return routing.response();
    }

    /** The client's address, as text. */
    public String address() {
        return connection.address;
    }

    /** Since the request has come. */
    public Duration age() {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    /** The client may do what it asks for: its connection may stay, whoever else comes. */
    public void proven() {
        listener.connections().proven(connection);
    }

    /** The token that the request carries, {@code null} where there is none. */
    public @Nullable String bearerToken() {
        String authorization = request().getHeader("Authorization");
        String scheme = "bearer ";
        return authorization == null
                        || !authorization
                                .substring(0, Math.min(scheme.length(), authorization.length()))
                                .toLowerCase(Locale.ROOT)
                                .equals(scheme)
                ? null
                : authorization.substring(scheme.length()).strip();
    }

    /**
     * Runs something in a virtual thread of its own, which may wait. What it throws is a defect: it is logged, and the client gets 500.
     */
    public void fork(Runnable work) {
        listener.threads().execute(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                // An Error, too: else its client would hold what the request holds until it goes away.
                defect(e);
            }
        });
    }

    /** Something that should not have been thrown, by whatever is to answer: it is logged, and the client gets 500. */
    public void defect(Throwable problem) {
        listener.defect(this, problem);
    }

    /** Gives the room of the body back before the answer, which may take long: the body has been decoded. */
    public void releaseBody() {
        long taken;
        synchronized (this) {
            taken = bodyBytes;
            bodyBytes = 0;
        }
        if (taken > 0) {
            listener.bodies().release(connection.address, taken);
        }
    }

    /**
     * Reads the body, which is paused until then; within the limits of the listener. A body that is too large gets 413, one that is too much beside
     * the others 503, one that does not come in time ends the connection; {@code next} is called in none of these cases.
     *
     * @param next runs on the event loop and must not wait
     */
    public void readBody(int maximumBytes, Handler<byte[]> next) {
        if (announcedBytes() > maximumBytes) {
            refuse(413, "more than " + maximumBytes + " bytes");
            return;
        }
        enter(Phase.body);
        eventLoop.runOnContext(now -> {
            HttpServerRequest request = request();
            if (request.isEnded()) {
                work(next, new byte[0]);
                return;
            }
            Buffer body = Buffer.buffer();
            request.handler(part -> {
                bodyRefused = bodyRefused
                        || answered
                        || !takeRoom((long) body.length() + part.length(), maximumBytes, part.length());
                if (!bodyRefused) {
                    body.appendBuffer(part);
                }
            });
            request.endHandler(whole -> {
                if (!bodyRefused && !answered) {
                    work(next, body.getBytes());
                }
            });
            if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
                response().writeContinue();
            }
            request.resume();
        });
    }

    private void work(Handler<byte[]> next, byte[] body) {
        enter(Phase.work);
        try {
            next.handle(body);
        } catch (RuntimeException e) {
            defect(e);
        }
    }

    /** Room is taken as bytes come: what is only announced must keep nobody else's out. */
    private boolean takeRoom(long length, int maximumBytes, int more) {
        if (length > maximumBytes) {
            refuse(413, "more than " + maximumBytes + " bytes");
            return false;
        }
        synchronized (this) {
            // Its client may have gone while its token was reviewed: then nobody releases these bytes later.
            if (ended) {
                return false;
            }
            if (listener.tryAcquire(listener.bodies(), connection, more)) {
                bodyBytes += more;
                return true;
            }
        }
        listener.count(OpenConnections.Refused.bodies_full);
        refuse(503, "too many bodies at one time");
        return false;
    }

    /** -1 where it is not known beforehand. */
    private long announcedBytes() {
        String length = request().getHeader("Content-Length");
        try {
            if (length != null) {
                return Long.parseLong(length);
            }
            boolean none =
                    request().version() != HttpVersion.HTTP_2 && request().getHeader("Transfer-Encoding") == null;
            return none ? 0 : -1;
        } catch (NumberFormatException e) {
            // Refused by the codec already.
            return Long.MAX_VALUE;
        }
    }

    /** As {@link #send} with a line of text. */
    public void refuse(int status, String sentence) {
        Map<String, String> headers = status == 503 || status == 429
                ? Map.of("Content-Type", "text/plain; charset=utf-8", "Retry-After", "1")
                : Map.of("Content-Type", "text/plain; charset=utf-8");
        send(status, headers, sentence.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Answers, in whatever thread; a second answer is dropped. What of the request has not been read is not read any more.
     *
     * @param body is not copied, and must not change
     */
    public void send(int status, Map<String, String> headers, byte[] body) {
        eventLoop.runOnContext(now -> {
            if (answered) {
                // Of two answers the first counts, and what the request holds goes when its client has taken that.
                return;
            }
            answered = true;
            HttpServerResponse response = response();
            if (response.closed() || response.ended()) {
                ended();
                return;
            }
            if (response.headWritten()) {
                // Who has begun it otherwise can say no more: its client must not take a part for the whole.
                response.reset();
                ended();
                return;
            }
            releaseBody();
            enter(Phase.answer);
            response.setStatusCode(status);
            headers.forEach(response::putHeader);
            if (status == 401) {
                response.putHeader("WWW-Authenticate", "Bearer");
            }
            discardBody();
            if (body.length <= PART_BYTES) {
                response.end(Buffer.buffer(Unpooled.wrappedBuffer(body))).onComplete(done -> sent());
            } else {
                response.putHeader("Content-Length", Integer.toString(body.length));
                sendPart(response, body, 0);
            }
        });
    }

    private void discardBody() {
        if (!request().isEnded() && announcedBytes() <= DISCARDED_BYTES) {
            request().resume();
        }
    }

    private void sent() {
        if (!request().isEnded()) {
            long left = announcedBytes();
            if (request().version() == HttpVersion.HTTP_2) {
                response().reset(0);
            } else if (left < 0 || left > DISCARDED_BYTES) {
                request().connection().close();
            }
        }
        ended();
    }

    private void sendPart(HttpServerResponse response, byte[] body, int from) {
        int length = Math.min(PART_BYTES, body.length - from);
        Buffer part = Buffer.buffer(Unpooled.wrappedBuffer(body, from, length));
        boolean last = from + length == body.length;
        Future<Void> written = last ? response.end(part) : response.write(part);
        written.onComplete(done -> {
            if (last || done.failed()) {
                sent();
            } else {
                sendPart(response, body, from + length);
            }
        });
    }

    /** The answer has been taken, or nobody waits for it any more. */
    public void ended() {
        long taken;
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            taken = bodyBytes;
        }
        connection.ends(this);
        listener.ended(this, taken);
    }

    /**
     * Waits until the client has taken what was written, in a thread that may wait. While it waits, the client is whom the listener waits for.
     *
     * @throws IOException if the client is gone, has not taken it by then, or gives way to others
     */
    public void awaitTaken(Future<Void> written, long nanos) throws IOException {
        enter(Phase.answer);
        try {
            CompletableFuture.anyOf(written.toCompletionStage().toCompletableFuture(), gaveWay)
                    .get(Math.max(nanos, 0), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new IOException("the client is gone", e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("the client reads too slowly", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the server stops");
        }
        if (gaveWay.isDone()) {
            throw new IOException("the client reads too slowly, and gives way to others");
        }
        enter(Phase.work);
    }

    /** Ends it, without a word to its client, which has not taken what it was sent. Other requests of an HTTP/2 connection go on. */
    void giveWay() {
        listener.count(OpenConnections.Refused.displaced);
        abandon();
    }

    void abandon() {
        gaveWay.complete(null);
        if (request().version() == HttpVersion.HTTP_2) {
            eventLoop.runOnContext(now -> {
                if (!response().closed()) {
                    response().reset();
                }
                ended();
            });
        } else {
            connection.abort();
        }
    }

    private void enter(Phase next) {
        phaseNanos = System.nanoTime();
        phase = next;
    }

    /** For how long its client has had to send its body, or to take its answer; 0 while it waits itself. */
    long waitedNanos(long nowNanos) {
        return phase == Phase.work ? 0 : nowNanos - phaseNanos;
    }

    /** Whether it is an answer that is not taken of a connection that may have others. */
    boolean isAnswerOfStream() {
        return phase == Phase.answer && request().version() == HttpVersion.HTTP_2;
    }

    /** Whether its client takes longer with its body, or with its answer, than it may. */
    boolean isOverdue(long nowNanos, ListenerSettings settings) {
        return switch (phase) {
            case body -> nowNanos - phaseNanos > settings.body().toNanos();
            case answer -> nowNanos - phaseNanos > settings.write().toNanos();
            case work -> false;
        };
    }
}
