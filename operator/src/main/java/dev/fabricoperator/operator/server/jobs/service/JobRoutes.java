/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.server.http.Exchange;
import dev.fabricoperator.operator.server.http.Listener;
import dev.fabricoperator.operator.server.http.SharedLimit;
import dev.fabricoperator.protocol.job.JobMapCodec;
import dev.fabricoperator.protocol.job.PodReportCodec;
import dev.fabricoperator.protocol.job.TrafficReportCodec;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The paths of the job service on its listener. A virtual thread asks the API server what must be asked; while an answer waits for the job there is no
 * thread. A body is read when the token of its request has been found valid, and not before.
 */
final class JobRoutes {
    /** A server has one question that waits for its map, one for news, and tells what happens. */
    private static final long REQUESTS_OF_POD = 16;

    /** Of a request for its turns; pmixd waits for no answer longer than 10 s. */
    private static final Duration PATIENCE = Duration.ofSeconds(8);
    /** The same of one whose answer may be held back, for which pmixd waits 30 s: with that it takes no longer than {@link #LONGEST_HELD}. */
    static final Duration PATIENCE_OF_HELD = Duration.ofSeconds(20);

    private static final Duration LONGEST_HELD = Duration.ofSeconds(25);

    private final Answers endpoint;
    private final Proofs tokens;
    private final MeterRegistry meters;
    private final Duration patienceOfHeld;
    /** Of each pod at one time, by whatever address: the programs of a pod have its token, too. */
    private final SharedLimit requests;

    /** As {@link JobEndpoint#answer}. */
    @FunctionalInterface
    interface Answers {
        CompletableFuture<JobResponse> answer(JobEndpoint.JobRequest request)
                throws JobRefusedException, InterruptedException;
    }

    /** As {@link PodTokens#prove}. */
    @FunctionalInterface
    interface Proofs {
        PodTokens.BoundPod prove(@Nullable String token, String address, Duration patience) throws JobRefusedException;
    }

    /** @param patienceOfHeld such as {@link #PATIENCE_OF_HELD} */
    JobRoutes(Answers endpoint, Proofs tokens, MeterRegistry meters, Duration patienceOfHeld) {
        this.patienceOfHeld = patienceOfHeld;
        this.endpoint = endpoint;
        this.tokens = tokens;
        this.meters = meters;
        this.requests = new SharedLimit(Long.MAX_VALUE, REQUESTS_OF_POD);
    }

    void addTo(Listener listener) {
        for (String path : new String[] {
            JobEndpoint.JOIN,
            JobEndpoint.EVENT,
            JobEndpoint.WATCH,
            JobEndpoint.HOSTS,
            JobEndpoint.MAP,
            JobEndpoint.TRAFFIC
        }) {
            boolean reads = path.equals(JobEndpoint.WATCH) || path.equals(JobEndpoint.HOSTS);
            HttpMethod method = reads ? HttpMethod.GET : HttpMethod.POST;
            listener.route(method, path, exchange -> exchange.fork(() -> take(path, method, exchange)));
        }
    }

    private void take(String path, HttpMethod method, Exchange exchange) {
        try {
            PodTokens.BoundPod pod = tokens.prove(exchange.bearerToken(), exchange.address(), patience(path, exchange));
            if (method == HttpMethod.GET) {
                answer(path, exchange, pod, new byte[0]);
            } else {
                exchange.readBody(longest(path), body -> exchange.fork(() -> answer(path, exchange, pod, body)));
            }
        } catch (JobRefusedException e) {
            send(path, exchange, answer(path, exchange, e));
        }
    }

    private void answer(String path, Exchange exchange, PodTokens.BoundPod pod, byte[] body) {
        if (!requests.tryAcquire(pod.uid(), 1)) {
            send(path, exchange, JobResponse.later("pod " + pod.name() + " asks too much at one time"));
            return;
        }
        boolean waits = false;
        try {
            CompletableFuture<JobResponse> answer = endpoint.answer(new JobEndpoint.JobRequest(
                    path,
                    number(exchange.request().getParam("attempt"), -1),
                    "true".equals(exchange.request().getParam("full")),
                    number(exchange.request().getParam("reads"), JobMapCodec.VERSION_OF_SILENT),
                    seen(exchange),
                    live(exchange),
                    "true".equals(exchange.request().getParam("last")),
                    pod,
                    body,
                    patience(path, exchange),
                    path.equals(JobEndpoint.TRAFFIC) ? exchange.request().getParam("copyOf") : null,
                    path.equals(JobEndpoint.TRAFFIC) ? exchange.bearerToken() : null));
            // The pod has its place in a job: a token alone, which every tenant can have many of, is not enough.
            exchange.proven();
            exchange.releaseBody();
            waits = true;
            if (isHeld(path) && exchange.age().compareTo(PATIENCE) > 0) {
                // Answers are held for 20 s from now.
                answer.completeOnTimeout(
                        JobResponse.NOTHING, LONGEST_HELD.minus(exchange.age()).toMillis(), TimeUnit.MILLISECONDS);
            }
            answer.whenComplete((ready, problem) -> {
                requests.release(pod.uid(), 1);
                if (problem == null) {
                    send(path, exchange, ready);
                } else {
                    exchange.defect(problem);
                }
            });
        } catch (JobRefusedException e) {
            send(path, exchange, answer(path, exchange, e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            send(path, exchange, JobResponse.later("this replica ends"));
        } finally {
            if (!waits) {
                requests.release(pod.uid(), 1);
            }
        }
    }

    private static int longest(String path) {
        return switch (path) {
            case JobEndpoint.MAP -> JobMapCodec.LONGEST_OF_POD_BYTES;
            case JobEndpoint.TRAFFIC -> TrafficReportCodec.LONGEST_BYTES;
            default -> PodReportCodec.LONGEST_BYTES;
        };
    }

    private static boolean isHeld(String path) {
        return path.equals(JobEndpoint.JOIN) || path.equals(JobEndpoint.WATCH);
    }

    private Duration patience(String path, Exchange exchange) {
        Duration left = (isHeld(path) ? patienceOfHeld : PATIENCE).minus(exchange.age());
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Whose turn has not come for as long as any answer is held back is answered as then, and asks again. */
    private JobResponse answer(String path, Exchange exchange, JobRefusedException refused) {
        boolean waited = isHeld(path) && patience(path, exchange).isZero();
        return waited && refused.answer().status() == 503 ? JobResponse.NOTHING : refused.answer();
    }

    private void send(String path, Exchange exchange, JobResponse answer) {
        Map<String, String> headers = new HashMap<>();
        if (!answer.type().isEmpty()) {
            headers.put("Content-Type", answer.type());
        }
        JobResponse.Header header = answer.header();
        if (header != null) {
            headers.put(header.name(), header.value());
        }
        exchange.send(answer.status(), headers, answer.body());
        Timer.builder("fabric_operator_jobs")
                .description("Requests of pods to the job service, waiting included")
                .tag("path", path)
                .tag("code", Integer.toString(answer.status()))
                .register(meters)
                .record(exchange.age());
    }

    private static ServedJob.@Nullable SeenFabric seen(Exchange exchange) {
        String generation = exchange.request().getParam("fabric");
        return generation == null || !generation.matches("[0-9]{1,18}")
                ? null
                : new ServedJob.SeenFabric(
                        Long.parseLong(generation),
                        "true".equals(exchange.request().getParam("pending")),
                        matching(exchange.request().getParam("others"), "[0-9:,]{0,512}"),
                        matching(exchange.request().getParam("routes"), "[0-9a-f:,-]{0,1024}"),
                        matching(exchange.request().getParam("impaired"), "[0-9a-f-]{1,64}"),
                        number(exchange.request().getParam("reads"), JobMapCodec.VERSION_WITH_ROUTES));
    }

    private static @Nullable Boolean live(Exchange exchange) {
        String live = matching(exchange.request().getParam("live"), "true|false");
        return live == null ? null : Boolean.valueOf(live);
    }

    private static @Nullable String matching(@Nullable String text, String pattern) {
        return text == null || !text.matches(pattern) ? null : text;
    }

    private static int number(@Nullable String text, int otherwise) {
        return text == null || !text.matches("[0-9]{1,9}") ? otherwise : Integer.parseInt(text);
    }
}
