/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.SourceStatus;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.LeavesInARow;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SimulatedSubnet;
import dev.fabricoperator.e2e.operator.SweeperProcess;
import dev.fabricoperator.protocol.job.JobFabricUpdate;
import dev.fabricoperator.protocol.job.JobMap;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What ports of switches count, on ibsim with opensm, is said of the switch, the Fabric, and the job whose packets pass the link, to which its pods are told.
 * The agents' part, devices with their LIDs, is played by what ibnetdiscover says of them.
 */
@WithControlPlane(own = true, needs = Component.CONTROLLER_MANAGER)
class ImpairedLinksTest {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final String LEAF_2 = LeavesInARow.leaf(2);
    private static final String LEAF_3 = LeavesInARow.leaf(3);
    private static final int UPLINK = 3;

    @TempDir
    static Path directory;

    private static FabricStatus status(JobCase jobs) {
        return Objects.requireNonNull(jobs.admin
                .resources(Fabric.class)
                .withName(LeavesInARow.FABRIC)
                .require()
                .getStatus());
    }

    private static boolean isRouted(JobCase jobs) {
        return status(jobs).sources().stream().map(SourceStatus::routes).anyMatch(Objects::nonNull);
    }

    private static Instant swept(JobCase jobs) {
        return Instant.parse(jobs.admin
                .configMaps()
                .inNamespace(OperatorProcess.NAMESPACE)
                .withName("infiniband")
                .require()
                .getData()
                .get(FabricApi.REPORT_SWEPT));
    }

    private static List<Condition> impaired(List<Condition> conditions) {
        return conditions.stream()
                .filter(each -> each.type().equals("Impaired")
                        && each.status().toString().equals("True"))
                .toList();
    }

    private static List<Condition> ofSwitch(JobCase jobs, String id) {
        return jobs.admin.resources(FabricSwitch.class).list().getItems().stream()
                .filter(each -> each.getSpec().id().equals(id) && each.getStatus() != null)
                .flatMap(each -> impaired(each.getStatus().conditions()).stream())
                .toList();
    }

    private static void symbolErrors(SimulatedSubnet subnet, String leaf, int port, int errors) {
        subnet.say("PerformanceSet \"S-%s\"[%d] PortCounters.SymbolErrorCounter=%d".formatted(leaf, port, errors));
    }

    @Test
    void symbolErrorsOfALinkThatTheJobsPacketsPassAreSaidOfSwitchFabricAndJobAndToExactlyItsRanks(
            ControlPlane cluster, @ClassNamespace String namespace) throws Exception {
        JobFabricUpdate.Impaired none = new JobFabricUpdate.Impaired(List.of());
        try (JobCase jobs = new JobCase(cluster, directory);
                SimulatedSubnet subnet = LeavesInARow.start(directory)) {
            Manifests.applySweeper(cluster);
            String host = LeavesInARow.host(3, 2);
            LeavesInARow.devices(subnet).forEach(device -> AdaptersOfOneNode.create(jobs, device));
            // Before anybody looks.
            symbolErrors(subnet, LEAF_2, UPLINK, 400);
            ServerProcess first = SweeperProcess.start(cluster, subnet, host, "first", directory, INTERVAL);
            OperatorProcess controller = OperatorProcess.start(
                    cluster,
                    directory,
                    "controller",
                    OperatorProcess.BRIEF,
                    Map.of("FABRIC_OPERATOR_SOURCE_POLL_INTERVAL", "1s"));
            OperatorProcess server = jobs.startServer(Map.of("FABRIC_OPERATOR_JOBS_HOLD", "2s"));
            eventually(() -> assertThat(isRouted(jobs)).isTrue());
            // Pods of a node that is not there are collected after a while.
            jobs.createNode("n1");
            Job job = jobs.createJobOnNode(
                    namespace, "impaired", 3, "n1", Map.of("fabric-operator.dev/ranks-per-pod", "2"));
            List<PodSide> sides = jobs.pods(job, 3).stream()
                    .map(pod -> jobs.side(server.jobs(), pod))
                    .toList();
            JobMap map = AdaptersOfOneNode.join(
                    sides,
                    2,
                    List.of(List.of(LeavesInARow.host(1, 1)), List.of(LeavesInARow.host(2, 1)), List.<String>of()));
            long generation = Objects.requireNonNull(map.fabric()).generation();
            CompletableFuture<JobFabricUpdate> told = sides.getFirst().awaitImpaired(map.attempt(), generation, none);

            // Another sweeper takes over; what was counted while nobody looked is no sign.
            first.kill();
            Instant killed = Instant.now();
            symbolErrors(subnet, LEAF_2, UPLINK, 800);
            try (ServerProcess sweeper = SweeperProcess.start(cluster, subnet, host, "second", directory, INTERVAL)) {
                eventually(() -> assertThat(swept(jobs)).isAfter(killed));
                // It has a base after some looks, one a second.
                Thread.sleep(Duration.ofSeconds(10));
                assertThat(told).isNotDone();
                assertThat(ofSwitch(jobs, LEAF_2)).isEmpty();

                // A link that no packet of the job passes.
                symbolErrors(subnet, LEAF_3, UPLINK, 40);
                eventually(() -> assertThat(ofSwitch(jobs, LEAF_3)).hasSize(1));
                Thread.sleep(2_000);
                assertThat(told).isNotDone();

                long start = System.nanoTime();
                symbolErrors(subnet, LEAF_2, UPLINK, 840);
                JobFabricUpdate.Impaired ill = (JobFabricUpdate.Impaired) told.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
                System.out.printf(
                        "from 40 symbol errors at a switch to the first pod: %d ms, a sweep every %d ms%n",
                        (System.nanoTime() - start) / 1_000_000, INTERVAL.toMillis());
                assertThat(ill.devices())
                        .extracting(JobFabricUpdate.ImpairedDevice::pod)
                        .containsExactly(0, 1);
                assertThat(ill.devices())
                        .allSatisfy(
                                device -> assertThat(device.words())
                                        .matches(
                                                "ranks 0-1 reach 2-3 over leaf-2 port 3, and back by it: 40 symbol errors in \\d s"));
                eventually(() -> assertThat(impaired(jobs.fabricJob(job, JobPhase.Running)
                                .getStatus()
                                .conditions()))
                        .singleElement()
                        .satisfies(condition ->
                                assertThat(condition.message()).contains("ranks 0-1 reach 2-3 over leaf-2 port 3")));
                eventually(() -> assertThat(ofSwitch(jobs, LEAF_2))
                        .singleElement()
                        .satisfies(condition -> assertThat(condition.message())
                                .contains("port 3: 40 symbol errors")
                                .contains("the other end is leaf-1 port 3")));
                eventually(() -> assertThat(impaired(status(jobs).conditions())).hasSize(1));
                assertThat(sweeper.isAlive()).isTrue();
                assertThat(controller.isAlive()).isTrue();
            } finally {
                controller.close();
            }
        }
    }
}
