/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import dev.fabricoperator.operator.server.http.BodiesInWork;
import dev.fabricoperator.operator.server.http.Exchange;
import dev.fabricoperator.operator.server.http.Listener;
import dev.fabricoperator.operator.server.http.ServingIdentity;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The webhooks, in the role {@code server}: HTTPS on a port of their own, {@code POST /pods} for pods that are to be made, {@code /pods/require-pmix} for those of
 * namespaces with the label of that name, and {@code /bindings} for those that have found their node.
 *
 * <p>Who calls is not asked: an answer says nothing but what follows from the question and from the job's own objects. So no connection is proven
 * here, whatever review it brings, and the API server gets in since it holds fewer connections than a stranger who floods.
 */
@ApplicationScoped
public class AdmissionServer {
    /** Twice what etcd takes, for the API server may send the old object too. */
    private static final int MAXIMUM_BODY = 4 << 20;
    /** Of reviews that are decided at one time. */
    private static final int DECIDED_BYTES = 2 << 20;
    /** Less than the webhook's own time. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    private final Vertx vertx;
    private final AdmissionSettings settings;
    private final ServingIdentity identity;
    private final MeterRegistry meters;
    private final PodAdmission pods;
    private final BindingAdmission bindings;
    private final BoundedReviews reviews = new BoundedReviews(new BodiesInWork(DECIDED_BYTES, PATIENCE));
    private volatile @Nullable Listener listener;

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
    }

    /** Listens when it returns. */
    public void start() {
        pods.start();
        WarmUp.run(settings);
        Listener made = new Listener(
                vertx,
                new Listener.ServingInfo(
                        "webhooks", settings.host(), settings.port(), Set.of("TLSv1.2", "TLSv1.3"), false),
                settings.listener(),
                identity.keyManager(),
                meters);
        add(made, "/pods", review -> pods.decide(review, false));
        add(made, "/pods/require-pmix", review -> pods.decide(review, true));
        add(made, "/bindings", bindings::decide);
        try {
            made.start();
        } catch (IOException e) {
            throw new UncheckedIOException("webhooks", e);
        }
        listener = made;
    }

    private void add(Listener to, String path, Function<AdmissionReview, AdmissionStep> begin) {
        to.route(
                HttpMethod.POST,
                path,
                exchange -> exchange.readBody(
                        MAXIMUM_BODY, body -> exchange.fork(() -> take(exchange, path, body, begin))));
    }

    /** Whether it listens with a certificate, so that the API server can call it. */
    public boolean isReady() {
        return listener != null && identity.authorityPem() != null;
    }

    private void take(Exchange exchange, String path, byte[] body, Function<AdmissionReview, AdmissionStep> begin) {
        String outcome = "defect";
        try {
            BoundedReviews.Decided decided = reviews.decide(body, begin);
            if (decided == null) {
                outcome = "busy";
                exchange.refuse(503, "too many reviews at one time");
            } else {
                outcome = decided.decision().getClass().getSimpleName().toLowerCase(Locale.ROOT);
                exchange.send(200, Map.of("Content-Type", "application/json"), decided.answer());
            }
        } catch (IOException e) {
            outcome = "unreadable";
            exchange.refuse(400, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            outcome = "busy";
            Thread.currentThread().interrupt();
            exchange.refuse(503, "this replica ends");
        } finally {
            count(exchange, path, outcome);
        }
    }

    private void count(Exchange exchange, String path, String outcome) {
        Timer.builder("fabric_operator_admission")
                .description("Reviews of pods and bindings")
                .tag("path", path)
                .tag("outcome", outcome)
                .register(meters)
                .record(exchange.age());
    }

    @PreDestroy
    void stop() {
        Listener open = listener;
        if (open != null) {
            open.close();
        }
    }
}
