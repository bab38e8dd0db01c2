/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.query;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.job.PlayedJobs;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.LeavesInARow;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SimulatedSubnet;
import dev.fabricoperator.e2e.operator.SweeperProcess;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.view.mapping.DeviceMapper;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What ports of switches send, on ibsim with opensm, whose counters a sweeper reads; a job's pods are objects alone. */
@WithControlPlane(own = true)
class PortTrafficTest {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration STEP = Duration.ofMillis(200);
    /** Words of four octets in a second: nine tenths of what 4xSDR carries. */
    private static final long WORDS = 10_000_000_000L / 8 / 4 * 9 / 10;

    private static final int UPLINK = 3;

    private final ControlPlane cluster;

    PortTrafficTest(ControlPlane cluster) {
        this.cluster = cluster;
    }

    private void create(Device device) {
        FabricDevice object = new FabricDevice();
        object.setMetadata(new ObjectMetaBuilder()
                .withName(device.hostname() + "-mlx5-0-1")
                .build());
        object.setSpec(DeviceMapper.toSpec(device.hostname(), device, error -> null));
        cluster.admin().resource(object).create();
    }

    private void createJob(String namespace, String name, String... nodes) {
        Job job = PlayedJobs.create(cluster.admin(), namespace, name, nodes.length, Map.of());
        for (int pod = 0; pod < nodes.length; pod++) {
            cluster.admin()
                    .resource(PlayedJobs.podOf(job, pod)
                            .editSpec()
                            .withNodeName(nodes[pod])
                            .endSpec()
                            .build())
                    .create();
        }
    }

    /** A port that sends as if packets passed it, until it is closed. */
    private static final class Sending implements AutoCloseable {
        private final Thread thread;

        Sending(SimulatedSubnet subnet, int leaf, int port) {
            thread = Thread.ofVirtual().start(() -> {
                long start = System.nanoTime();
                try {
                    while (true) {
                        long words = (long) ((System.nanoTime() - start) * 1e-9 * WORDS);
                        subnet.say("PerformanceSet \"S-%s\"[%d] PortCountersExtended.PortXmitData=%d"
                                .formatted(LeavesInARow.leaf(leaf), port, words));
                        Thread.sleep(STEP);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }

        @Override
        public void close() throws InterruptedException {
            thread.interrupt();
            thread.join();
        }
    }

    private static List<JsonNode> hotSpots(QueryClient viewer) {
        return list(viewer, "hotspots", "hotSpots");
    }

    private static List<JsonNode> list(QueryClient viewer, String path, String field) {
        JsonNode answer = viewer.json(QueryClient.FABRICS + LeavesInARow.FABRIC + "/" + path);
        assertThat(answer.path(field).isArray()).as(answer.toString()).isTrue();
        return StreamSupport.stream(answer.path(field).spliterator(), false).toList();
    }

    private static JsonNode port(QueryClient viewer, int leaf, int port) {
        return list(viewer, "ports", "ports").stream()
                .filter(each -> each.path("switch").asText().equals(LeavesInARow.leaf(leaf))
                        && each.path("port").asInt() == port)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aPortThatSendsAsMuchAsItsLinkCarriesIsHotWithTheJobWhosePacketsPassItAndNoOther(
            @ClassNamespace String namespace, @TempDir Path directory) throws Exception {
        Manifests.apply(cluster);
        Manifests.applySweeper(cluster);
        cluster.writeServingCertificate(directory.resolve("tls"), List.of("127.0.0.1"));
        try (SimulatedSubnet subnet = LeavesInARow.start(directory)) {
            LeavesInARow.devices(subnet).forEach(this::create);
            PlayedJobs.createServiceAccount(cluster.admin(), namespace);
            createJob(namespace, "ring", "n11", "n21");
            createJob(namespace, "alone", "n31", "n32");
            try (ServerProcess sweeper = SweeperProcess.start(
                            cluster, subnet, LeavesInARow.host(3, 2), "sweeper", directory, INTERVAL);
                    OperatorProcess controller = OperatorProcess.start(
                            cluster,
                            directory,
                            "controller",
                            OperatorProcess.BRIEF,
                            Map.of("FABRIC_OPERATOR_SOURCE_POLL_INTERVAL", "1s"));
                    OperatorProcess server = OperatorProcess.start(
                            cluster,
                            directory,
                            "server",
                            OperatorProcess.BRIEF,
                            Map.of(
                                    "FABRIC_OPERATOR_QUERY_CERTIFICATE_DIRECTORY",
                                    directory.resolve("tls").toString()));
                    QueryClient viewer = new QueryClient(
                            server.query(), cluster.authorityPem(), new Users(cluster).trafficViewer("viewer"))) {
                eventually(() -> assertThat(
                                port(viewer, 1, UPLINK).path("utilisation").asDouble(1))
                        .as("what opensm and the sweeper send")
                        .isLessThan(0.01));
                assertThat(port(viewer, 1, UPLINK).path("peer").asText()).isEqualTo("leaf-2 port 3");
                assertThat(port(viewer, 1, 1).path("peer").asText()).isEqualTo("n11 mlx5_0 port 1");
                assertThat(hotSpots(viewer)).isEmpty();

                long start = System.nanoTime();
                try (Sending sending = new Sending(subnet, 1, UPLINK)) {
                    eventually(() -> assertThat(hotSpots(viewer))
                            .singleElement()
                            .satisfies(hot -> {
                                assertThat(hot.path("switch").asText()).isEqualTo(LeavesInARow.leaf(1));
                                assertThat(hot.path("port").asInt()).isEqualTo(UPLINK);
                                assertThat(hot.path("why").asText()).isEqualTo("Utilisation");
                                assertThat(hot.path("jobs"))
                                        .as(hot.toString())
                                        .singleElement()
                                        .satisfies(job -> {
                                            assertThat(job.path("namespace").asText())
                                                    .isEqualTo(namespace);
                                            assertThat(job.path("name").asText())
                                                    .isEqualTo("ring");
                                            assertThat(job.path("basis").asText())
                                                    .isEqualTo("routes");
                                        });
                            }));
                    System.out.printf(
                            "from the first packets to a hot spot: %d ms, a look every %d ms%n",
                            (System.nanoTime() - start) / 1_000_000, INTERVAL.toMillis());
                    eventually(() -> assertThat(
                                    port(viewer, 1, UPLINK).path("utilisation").asDouble())
                            .isBetween(0.85, 0.95));
                }
                long end = System.nanoTime();
                eventually(() -> assertThat(hotSpots(viewer)).isEmpty());
                System.out.printf("from the last packet to none: %d ms%n", (System.nanoTime() - end) / 1_000_000);

                assertThat(port(viewer, 2, 4).has("waitShare"))
                        .as("of a switch of which no port has ever counted a wait")
                        .isFalse();
                subnet.say("PerformanceSet \"S-%s\"[4] PortCounters.PortXmitWait=1".formatted(LeavesInARow.leaf(2)));
                eventually(() -> assertThat(port(viewer, 2, 4).path("waitShare").isNumber())
                        .isTrue());
                // Of no job's route: those of "ring" go from the second leaf to the first.
                subnet.say("PerformanceSet \"S-%s\"[4] PortCounters.PortXmitWait=%d"
                        .formatted(LeavesInARow.leaf(2), 2_000_000_000L));
                eventually(() -> assertThat(hotSpots(viewer)).singleElement().satisfies(hot -> {
                    assertThat(hot.path("switch").asText()).isEqualTo(LeavesInARow.leaf(2));
                    assertThat(hot.path("port").asInt()).isEqualTo(4);
                    assertThat(hot.path("why").asText()).isEqualTo("Waiting");
                    assertThat(hot.path("jobs")).isEmpty();
                }));

                // What nobody looks at any more is not told as if it were of now.
                sweeper.kill();
                eventually(() -> assertThat(viewer.get(QueryClient.FABRICS + LeavesInARow.FABRIC + "/ports")
                                .statusCode())
                        .isIn(404, 503));
                assertThat(controller.isAlive()).isTrue();
            }
        }
    }
}
