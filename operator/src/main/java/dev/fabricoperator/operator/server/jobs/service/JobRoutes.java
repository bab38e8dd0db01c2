/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import dev.fabricoperator.operator.server.http.Exchange;
import dev.fabricoperator.operator.server.http.Listener;
import dev.fabricoperator.operator.server.http.SharedLimit;
import dev.fabricoperator.pmix.job.JobMapCodec;
import dev.fabricoperator.pmix.job.PodReportCodec;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.http.HttpMethod;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The paths of the job service on its listener. A virtual thread asks the API server what must be asked; while an answer waits for the job there is no
 * thread. A body is read when the token of its request has been found valid, and not before.
 */
final class JobRoutes {
    /** A server has one question that waits for its map, one for news, and tells what happens. */
    private static final long REQUESTS_OF_POD = 16;

    private final Answers endpoint;
    private final Proofs tokens;
    private final MeterRegistry meters;
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
        PodTokens.BoundPod prove(@Nullable String token, String address) throws JobRefusedException;
    }

    JobRoutes(Answers endpoint, Proofs tokens, MeterRegistry meters) {
        this.endpoint = endpoint;
        this.tokens = tokens;
        this.meters = meters;
        this.requests = new SharedLimit(Long.MAX_VALUE, REQUESTS_OF_POD);
    }

    void addTo(Listener listener) {
        for (String path :
                new String[] {JobEndpoint.JOIN, JobEndpoint.EVENT, JobEndpoint.WATCH, JobEndpoint.HOSTS, JobEndpoint.MAP
                }) {
            boolean reads = path.equals(JobEndpoint.WATCH) || path.equals(JobEndpoint.HOSTS);
            HttpMethod method = reads ? HttpMethod.GET : HttpMethod.POST;
            listener.route(method, path, exchange -> exchange.fork(() -> take(path, method, exchange)));
        }
    }

    private void take(String path, HttpMethod method, Exchange exchange) {
        try {
            PodTokens.BoundPod pod = tokens.prove(exchange.bearerToken(), exchange.address());
            if (method == HttpMethod.GET) {
                answer(path, exchange, pod, new byte[0]);
            } else {
                int longest =
                        path.equals(JobEndpoint.MAP) ? JobMapCodec.LONGEST_OF_POD_BYTES : PodReportCodec.LONGEST_BYTES;
                exchange.readBody(longest, body -> exchange.fork(() -> answer(path, exchange, pod, body)));
            }
        } catch (JobRefusedException e) {
            send(path, exchange, e.answer());
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
                    pod,
                    body));
            // The pod has its place in a job: a token alone, which every tenant can have many of, is not enough.
            exchange.proven();
            exchange.releaseBody();
            waits = true;
            answer.whenComplete((ready, problem) -> {
                requests.release(pod.uid(), 1);
                if (problem == null) {
                    send(path, exchange, ready);
                } else {
                    exchange.defect(problem);
                }
            });
        } catch (JobRefusedException e) {
            send(path, exchange, e.answer());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            send(path, exchange, JobResponse.later("this replica ends"));
        } finally {
            if (!waits) {
                requests.release(pod.uid(), 1);
            }
        }
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
                        others(exchange.request().getParam("others")));
    }

    private static @Nullable String others(@Nullable String text) {
        return text == null || !text.matches("[0-9:,]{0,512}") ? null : text;
    }

    private static int number(@Nullable String text, int otherwise) {
        return text == null || !text.matches("[0-9]{1,9}") ? otherwise : Integer.parseInt(text);
    }
}
