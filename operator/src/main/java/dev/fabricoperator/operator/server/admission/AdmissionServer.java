/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.operator.certificate.ServingIdentity;
import dev.fabricoperator.operator.certificate.ServingTls;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The webhooks, in the role {@code server}: HTTPS on a port of their own, {@code POST /pods} for pods that are to be made and
 * {@code /bindings} for those that have found their node.
 *
 * <p>Who calls is not asked: an answer says nothing but what follows from the question and from the job's own objects.
 */
@ApplicationScoped
public class AdmissionServer {
    private static final Logger LOG = Logger.getLogger(AdmissionServer.class);
    /** Twice what etcd takes, for the API server may send the old object too. */
    private static final int MAXIMUM_BODY = 4 << 20;

    private static final int IDLE_SECONDS = 120;

    private final Vertx vertx;
    private final AdmissionSettings settings;
    private final ServingIdentity identity;
    private final MeterRegistry meters;
    private final Map<String, Function<AdmissionReview, AdmissionDecision>> deciders;
    private final PodAdmission pods;
    private final BindingAdmission bindings;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private volatile @Nullable HttpServer server;

    AdmissionServer(
            Vertx vertx,
            AdmissionSettings settings,
            ServingIdentity identity,
            MeterRegistry meters,
            PodAdmission pods,
            BindingAdmission bindings) {
        this.vertx = vertx;
        this.settings = settings;
        this.identity = identity;
        this.meters = meters;
        this.pods = pods;
        this.bindings = bindings;
        this.deciders = Map.of("/pods", pods::decide, "/bindings", bindings::decide);
    }

    /** Listens when it returns. */
    public void start() {
        pods.start();
        WarmUp.run(settings);
        HttpServer made = vertx.createHttpServer(ServingTls.options(identity.keyManager(), "TLSv1.2", "TLSv1.3")
                .setHost(settings.host())
                .setPort(settings.port())
                .setIdleTimeout(IDLE_SECONDS)
                .setIdleTimeoutUnit(TimeUnit.SECONDS));
        made.requestHandler(this::take)
                .listen()
                .toCompletionStage()
                .toCompletableFuture()
                .join();
        server = made;
        LOG.infof("webhooks on https://%s:%d", settings.host(), made.actualPort());
    }

    /** Whether it listens with a certificate, so that the API server can call it. */
    public boolean isReady() {
        return server != null && identity.authorityPem() != null;
    }

    private void take(HttpServerRequest request) {
        Function<AdmissionReview, AdmissionDecision> decide = deciders.get(request.path());
        if (decide == null || request.method() != HttpMethod.POST) {
            request.response().setStatusCode(decide == null ? 404 : 405).end();
            return;
        }
        long start = System.nanoTime();
        Buffer body = Buffer.buffer();
        request.handler(part -> {
            if (request.response().ended()) {
                return;
            }
            if (body.length() + part.length() > MAXIMUM_BODY) {
                request.response().setStatusCode(413).end();
                request.connection().close();
            } else {
                body.appendBuffer(part);
            }
        });
        request.endHandler(end -> {
            if (!request.response().ended()) {
                threads.execute(() -> answer(request, body.getBytes(), decide, start));
            }
        });
    }

    private void answer(
            HttpServerRequest request, byte[] body, Function<AdmissionReview, AdmissionDecision> decide, long start) {
        String outcome = "defect";
        try {
            AdmissionDecision[] decided = new AdmissionDecision[1];
            byte[] answer = AdmissionReview.read(body).answer(review -> decided[0] = decide.apply(review));
            outcome = decided[0].getClass().getSimpleName().toLowerCase(Locale.ROOT);
            request.response().putHeader("Content-Type", "application/json").end(Buffer.buffer(answer));
        } catch (IOException e) {
            outcome = "unreadable";
            request.response().setStatusCode(400).end(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.errorf(e, "defect in %s", request.path());
            request.response().setStatusCode(500).end();
        }
        meters.timer("fabric_operator_admission", "path", request.path(), "outcome", outcome)
                .record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
    }

    @PreDestroy
    void stop() {
        HttpServer open = server;
        if (open != null) {
            open.close();
        }
        threads.shutdownNow();
        pods.stop();
        bindings.stop();
    }
}
