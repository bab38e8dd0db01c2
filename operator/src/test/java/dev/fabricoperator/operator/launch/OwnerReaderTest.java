/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.cluster.ApiReader;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class OwnerReaderTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    /** A Job, and the JobSet that controls it: whoever makes them says how large both are. */
    @Test
    @Timeout(240)
    void nobodyKeepsALargeJobWhileHeWaitsForWhatIsBehindIt() throws Exception {
        byte[] object = ("{\"metadata\":{\"uid\":\"one\",\"annotations\":{\"a\":\"" + "a".repeat(100_000) + "\"}}}")
                .getBytes(StandardCharsets.UTF_8);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        AtomicInteger kept = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (ExecutorService threads = Executors.newCachedThreadPool();
                KubernetesClient client = new KubernetesClientBuilder()
                        .withConfig(new ConfigBuilder(Config.empty())
                                .withMasterUrl("http://127.0.0.1:"
                                        + server.getAddress().getPort() + "/")
                                .build())
                        .build()) {
            server.setExecutor(threads);
            server.createContext("/", exchange -> {
                try (exchange) {
                    exchange.sendResponseHeaders(200, object.length);
                    exchange.getResponseBody().write(object);
                }
            });
            server.start();
            OwnerReader<Boolean> reader = new OwnerReader<>(
                    new ApiReader(client, 32), SteadyClock.system(), LONG, 100, (namespace, job, found, others) -> {
                        most.accumulateAndGet(kept.incrementAndGet(), Math::max);
                        boolean known =
                                others.get(new OwnerRef("jobset.x-k8s.io/v1alpha2", "JobSet", "set", "one")) != null;
                        kept.decrementAndGet();
                        return known;
                    });

            List<Future<Boolean>> all = IntStream.range(0, 8)
                    .mapToObj(i -> threads.submit(() -> Boolean.TRUE.equals(
                            reader.read("space", new OwnerRef("batch/v1", "Job", "job-" + i, "one"), LONG))))
                    .toList();

            for (Future<Boolean> each : all) {
                assertThat(each.get()).isTrue();
            }
            assertThat(most).hasValue(1);
        } finally {
            server.stop(0);
        }
    }
}
