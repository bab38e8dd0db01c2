/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.operator.TestApiServer;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.JobOwners;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.PodFact;
import dev.fabricoperator.operator.launch.RankOrder;
import dev.fabricoperator.operator.server.jobs.assembly.JobPodId;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobRegistryTest {
    private static DirectJob job(String kind, String name) {
        return new DirectJob(
                "space",
                new OwnerRef("of/v1", kind, name, "uid-of-" + name),
                List.of(new DirectJob.App("ring", 1, 3, 1)),
                Duration.ofMinutes(10),
                RankOrder.topology,
                null);
    }

    private static PodFact pod(String namespace, @Nullable String controllerKind, String controller) {
        PodBuilder pod = new PodBuilder()
                .withNewMetadata()
                .withName("a")
                .withNamespace(namespace)
                .withUid("of-a")
                .endMetadata()
                .withNewSpec()
                .withNodeName("node-1")
                .endSpec();
        if (controllerKind != null) {
            pod.editMetadata()
                    .addNewOwnerReference()
                    .withApiVersion("batch/v1")
                    .withKind(controllerKind)
                    .withName(controller)
                    .withUid("uid-of-" + controller)
                    .withController(true)
                    .endOwnerReference()
                    .endMetadata();
        }
        return PodFact.of(pod.build());
    }

    /** A JobSet may have a Job of each pod: as many reads as pods, in one request. */
    @Test
    void aPodThatIsNamedIsBelievedWithoutAskingTheApiServerUnlessItIsAnotherJobs() throws Exception {
        AtomicInteger reads = new AtomicInteger();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (KubernetesClient client = TestApiServer.client(server)) {
            server.createContext("/", exchange -> {
                reads.incrementAndGet();
                exchange.sendResponseHeaders(500, -1);
                exchange.close();
            });
            server.start();
            SteadyClock clock = SteadyClock.system();
            JobRegistry registry = new JobRegistry(
                    new JobOwners(client, clock),
                    (job, first, before) -> {
                        throw new IllegalStateException("nothing is served here");
                    },
                    clock,
                    Duration.ofMinutes(1));
            DirectJob set = job("JobSet", "set");

            assertThat(registry.named(set, pod("space", "Job", "set-ring-0")))
                    .isNotNull()
                    .extracting(JobPodId::nodeName)
                    .isEqualTo("node-1");
            assertThat(registry.named(set, pod("elsewhere", "Job", "set-ring-0")))
                    .isNull();
            assertThat(registry.named(set, pod("space", null, ""))).isNull();
            assertThat(registry.named(set, pod("space", "ReplicaSet", "other"))).isNull();
            assertThat(registry.named(job("Job", "ring"), pod("space", "Job", "other")))
                    .as("the pods of a Job have no other controller")
                    .isNull();
            assertThat(reads).hasValue(0);
        } finally {
            server.stop(0);
        }
    }
}
