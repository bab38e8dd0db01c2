/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.certificate.ServingTls;
import dev.fabricoperator.operator.server.jobs.JobSettings;
import dev.fabricoperator.pmix.job.PodReportCodec;
import io.netty.buffer.Unpooled;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.X509KeyManager;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * HTTPS in front of a {@link JobEndpoint}. A virtual thread asks the API server what must be asked; while an answer waits for
 * the job there is no thread.
 */
final class JobListener implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger(JobListener.class);
    private static final String BEARER = "Bearer ";
    private static final int MAXIMUM_REQUEST_LINE = 1024;
    private static final int MAXIMUM_HEADERS = 16 * 1024;
    private static final int BACKLOG = 4096;
    private static final long START_SECONDS = 30;

    private final JobEndpoint endpoint;
    private final Done done;
    private final int mostConnections;
    private final AtomicInteger connections = new AtomicInteger();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    /** Hears of every answer. */
    interface Done {
        void answered(String path, int status, Duration took);
    }

    JobListener(Vertx vertx, JobSettings settings, X509KeyManager certificate, JobEndpoint endpoint, Done done) {
        this.endpoint = endpoint;
        this.done = done;
        this.mostConnections = settings.connections();
        server = vertx.createHttpServer(ServingTls.options(certificate, "TLSv1.3")
                .setHost(settings.host())
                .setPort(settings.port())
                .setAcceptBacklog(BACKLOG)
                .setIdleTimeout((int) settings.idle().toSeconds())
                .setIdleTimeoutUnit(TimeUnit.SECONDS)
                // The pods of a large job all come at once.
                .setSslHandshakeTimeout(settings.idle().toSeconds())
                .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS)
                .setMaxInitialLineLength(MAXIMUM_REQUEST_LINE)
                .setMaxHeaderSize(MAXIMUM_HEADERS));
        server.connectionHandler(this::opened).requestHandler(this::take);
    }

    /** Returns when it listens. */
    void start() throws IOException {
        try {
            server.listen().toCompletionStage().toCompletableFuture().get(START_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("cannot listen: " + e.getMessage(), e);
        }
        LOG.infof("job service on port %d", server.actualPort());
    }

    private void opened(HttpConnection connection) {
        if (connections.incrementAndGet() > mostConnections) {
            connection.close();
        }
        connection.closeHandler(closed -> connections.decrementAndGet());
    }

    private void take(HttpServerRequest request) {
        long begun = System.nanoTime();
        HttpServerResponse response = request.response();
        HttpMethod wanted = JobEndpoint.WATCH.equals(request.path()) ? HttpMethod.GET : HttpMethod.POST;
        Buffer body = Buffer.buffer();
        request.exceptionHandler(gone -> LOG.debugf("a pod's connection ended: %s", gone.getMessage()));
        request.handler(part -> {
            if (body.length() <= PodReportCodec.LONGEST_BYTES) {
                body.appendBuffer(part);
            }
        });
        request.endHandler(end -> {
            if (request.method() != wanted) {
                send(request, response, JobResponse.text(405, "only " + wanted + " " + request.path()), begun);
            } else if (body.length() > PodReportCodec.LONGEST_BYTES) {
                send(
                        request,
                        response,
                        JobResponse.text(400, "more than " + PodReportCodec.LONGEST_BYTES + " bytes"),
                        begun);
            } else {
                threads.execute(() -> serve(request, response, body.getBytes(), begun));
            }
        });
    }

    private void serve(HttpServerRequest request, HttpServerResponse response, byte[] body, long begun) {
        try {
            CompletableFuture<JobResponse> answer = endpoint.answer(new JobEndpoint.JobRequest(
                    String.valueOf(request.path()),
                    number(request.getParam("attempt"), -1),
                    "true".equals(request.getParam("full")),
                    token(request.getHeader("Authorization")),
                    body));
            answer.thenAccept(ready -> send(request, response, ready, begun));
        } catch (JobRefusedException e) {
            send(request, response, e.answer(), begun);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            send(request, response, JobResponse.later("this replica ends"), begun);
        } catch (RuntimeException e) {
            LOG.errorf(e, "defect in %s", request.path());
            send(request, response, JobResponse.text(500, "a defect of the job service; see its log"), begun);
        }
    }

    private void send(HttpServerRequest request, HttpServerResponse response, JobResponse answer, long begun) {
        if (response.closed() || response.ended()) {
            return;
        }
        response.setStatusCode(answer.status());
        if (!answer.type().isEmpty()) {
            response.putHeader("Content-Type", answer.type());
        }
        JobResponse.Header header = answer.header();
        if (header != null) {
            response.putHeader(header.name(), header.value());
        }
        if (answer.status() == 401) {
            response.putHeader("WWW-Authenticate", "Bearer");
        }
        // Not copied: a map goes to every pod of the job.
        response.end(Buffer.buffer(Unpooled.wrappedBuffer(answer.body())));
        done.answered(String.valueOf(request.path()), answer.status(), Duration.ofNanos(System.nanoTime() - begun));
    }

    private static @Nullable String token(@Nullable String authorization) {
        return authorization == null || !authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? null
                : authorization.substring(BEARER.length()).strip();
    }

    private static int number(@Nullable String text, int otherwise) {
        return text == null || !text.matches("[0-9]{1,9}") ? otherwise : Integer.parseInt(text);
    }

    @Override
    public void close() {
        server.close();
        threads.shutdownNow();
    }
}
