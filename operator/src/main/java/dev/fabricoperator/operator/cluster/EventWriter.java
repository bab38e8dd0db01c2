/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.model.condition.ConditionType;
import dev.fabricoperator.operator.model.condition.Conditions;
import dev.fabricoperator.operator.model.condition.Reason;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;

/**
 * Events on transitions. They are a courtesy: what cannot be written is logged and forgotten, and when very many things
 * change at once the rest is dropped.
 */
@Singleton
public class EventWriter {
    private static final Logger LOG = Logger.getLogger(EventWriter.class);
    private static final int WAITING = 256;
    /** The API server refuses a longer one. */
    private static final int MAXIMUM_MESSAGE = 1024;

    private static final String COMPONENT = "fabric-operator";
    /** Events of cluster-scoped objects live there. */
    private static final String NAMESPACE = "default";

    /** It turns twice with every generation. */
    private static final String NOT_WORTH_AN_EVENT = ConditionType.Updating.name();

    private final KubernetesClient client;
    private final Clock clock;
    private final EventRateLimit rateLimit;
    private final AtomicInteger written = new AtomicInteger();
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            0,
            1,
            10,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            Thread.ofVirtual().name("events").factory(),
            new ThreadPoolExecutor.DiscardPolicy());

    public EventWriter(KubernetesClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
        this.rateLimit = new EventRateLimit(SteadyClock.system());
    }

    /** One Event for each condition that has turned. */
    public void transitions(HasMetadata object, List<Condition> turned) {
        for (Condition condition : turned) {
            if (!NOT_WORTH_AN_EVENT.equals(condition.type())) {
                write(
                        object,
                        !condition.tellsTrouble(),
                        condition.reason(),
                        condition.type() + " is " + condition.status() + ": " + condition.message());
            }
        }
    }

    /** One Event for something that was done. */
    public void normal(HasMetadata object, Reason reason, String message) {
        write(object, true, reason.name(), message);
    }

    /** One Event for something that somebody should look at. */
    public void warning(HasMetadata object, Reason reason, String message) {
        write(object, false, reason.name(), message);
    }

    private void write(HasMetadata object, boolean good, String reason, String sentence) {
        OptionalInt leftOut = rateLimit.spend(object.getMetadata().getUid(), reason);
        if (leftOut.isEmpty()) {
            return;
        }
        String message = Conditions.bounded(
                leftOut.getAsInt() == 0
                        ? sentence
                        : "(" + leftOut.getAsInt() + " like this were left out before) " + sentence,
                MAXIMUM_MESSAGE);
        String place = object.getMetadata().getNamespace();
        String namespace = place == null ? NAMESPACE : place;
        Instant now = clock.instant();
        String seconds = now.truncatedTo(ChronoUnit.SECONDS).toString();
        thread.execute(() -> {
            try {
                client.v1()
                        .events()
                        .inNamespace(namespace)
                        .resource(new EventBuilder()
                                .withNewMetadata()
                                .withNamespace(namespace)
                                .withName(name(object, reason, now))
                                .endMetadata()
                                .withNewInvolvedObject()
                                .withApiVersion(object.getApiVersion())
                                .withKind(object.getKind())
                                .withNamespace(place)
                                .withName(object.getMetadata().getName())
                                .withUid(object.getMetadata().getUid())
                                .endInvolvedObject()
                                .withType(good ? "Normal" : "Warning")
                                .withReason(reason)
                                .withMessage(message)
                                .withNewSource()
                                .withComponent(COMPONENT)
                                .endSource()
                                .withReportingComponent(COMPONENT)
                                .withReportingInstance(COMPONENT)
                                .withCount(1)
                                .withFirstTimestamp(seconds)
                                .withLastTimestamp(seconds)
                                .build())
                        .create();
            } catch (KubernetesClientException e) {
                if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                    LOG.debugf(e, "Event %s of %s", reason, object.getMetadata().getName());
                }
            }
        });
    }

    /** Two of one reason in one millisecond are two. */
    private String name(HasMetadata object, String reason, Instant now) {
        String stem = object.getMetadata().getName();
        return (stem.length() > 180 ? stem.substring(0, 180) : stem) + "." + reason.toLowerCase(Locale.ROOT) + "."
                + Long.toHexString(now.toEpochMilli()) + "." + Integer.toHexString(written.getAndIncrement());
    }

    @PreDestroy
    void stop() {
        thread.shutdownNow();
    }
}
