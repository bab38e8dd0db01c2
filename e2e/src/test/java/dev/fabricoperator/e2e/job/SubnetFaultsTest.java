/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.Condition;
import dev.fabricoperator.crds.ConditionStatus;
import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricStatus;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.SourceStatus;
import dev.fabricoperator.e2e.cluster.Cluster;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.FaultyApiServer;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.junit.ClassNamespace;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.LeavesInARow;
import dev.fabricoperator.e2e.operator.Manifests;
import dev.fabricoperator.e2e.operator.OpenSmPlugin;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.e2e.operator.SimulatedSubnet;
import dev.fabricoperator.e2e.operator.SweeperProcess;
import dev.fabricoperator.e2e.query.QueryClient;
import dev.fabricoperator.e2e.query.Users;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job whose packets pass three switches on ibsim, while what manages, sweeps and serves them dies and comes again: ranks are told nothing that is not so. The agents'
 * part and pods are played.
 */
@Tag("long")
@WithControlPlane(own = true, needs = Component.CONTROLLER_MANAGER)
class SubnetFaultsTest {
    /** 2 to 6 s are usual on a machine on which others build, and printed. */
    private static final Duration SOON = Duration.ofSeconds(15);

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration AWAY = Duration.ofSeconds(20);
    private static final int UPLINK = 3;
    private static final int PODS = 2;
    private static final int LONG_MINUTES = 20;

    private final ControlPlane cluster;

    SubnetFaultsTest(ControlPlane cluster) {
        this.cluster = cluster;
    }

    /** Everything that a running job takes: two servers, one of which serves the query API, a controller, a sweeper, a subnet. */
    private static final class Running implements AutoCloseable {
        final Path directory;
        final Cluster api;
        final JobCase jobs;
        final SimulatedSubnet subnet;
        OperatorProcess controller;
        final List<OperatorProcess> servers;
        final PlayedFirstPod first;
        final QueryClient viewer;
        ServerProcess sweeper;

        Running(ControlPlane cluster, Cluster api, String namespace, Path directory) throws Exception {
            this.directory = directory;
            this.api = api;
            jobs = new JobCase(cluster, directory);
            Manifests.applySweeper(cluster);
            subnet = LeavesInARow.start(directory, OpenSmPlugin.options(directory));
            LeavesInARow.devices(subnet).forEach(device -> AdaptersOfOneNode.create(jobs, device));
            sweeper = sweeper("sweeper");
            controller = controller();
            servers = List.of(server(), server());
            viewer = new QueryClient(
                    servers.getLast().query(), cluster.authorityPem(), new Users(cluster).trafficViewer("viewer"));
            eventually(() -> assertThat(status().sources().stream().map(SourceStatus::routes))
                    .anyMatch(Objects::nonNull));
            jobs.createNode("n1");
            Job job = jobs.createJobOnNode(
                    namespace, "running", PODS, "n1", Map.of("fabric-operator.dev/ranks-per-pod", "2"));
            var pods = jobs.pods(job, PODS);
            List<PodSide> sides = pods.stream()
                    .map(pod -> jobs.side(servers.getFirst().jobs(), pod))
                    .toList();
            first = new PlayedFirstPod(
                    List.of(sides.getFirst(), jobs.side(servers.getLast().jobs(), pods.getFirst())),
                    AdaptersOfOneNode.join(
                            sides, 2, List.of(List.of(LeavesInARow.host(1, 1)), List.of(LeavesInARow.host(2, 1)))));
        }

        private OperatorProcess controller() {
            return OperatorProcess.start(
                    api,
                    directory,
                    "controller",
                    OperatorProcess.BRIEF,
                    Map.of("FABRIC_OPERATOR_SOURCE_POLL_INTERVAL", "1s"));
        }

        /** As the kubelet does with what has ended because it has lost its lease. */
        void startAgain() {
            if (!controller.isAlive()) {
                controller.close();
                controller = controller();
            }
            if (!sweeper.isAlive()) {
                sweeper = sweeper("again");
            }
        }

        private OperatorProcess server() {
            OperatorProcess server = jobs.beginServer(
                    api,
                    Map.of(
                            "FABRIC_OPERATOR_JOBS_HOLD",
                            "2s",
                            "FABRIC_OPERATOR_QUERY_CERTIFICATE_DIRECTORY",
                            directory.resolve("tls").toString()));
            eventually(() -> assertThat(server.isReady()).isTrue());
            return server;
        }

        ServerProcess sweeper(String name) {
            return SweeperProcess.start(
                    api,
                    subnet,
                    LeavesInARow.host(3, 2),
                    name,
                    directory,
                    INTERVAL,
                    Map.of("SWEEPER_EVENTS", OpenSmPlugin.socket(directory).toString()),
                    "",
                    command -> command);
        }

        FabricStatus status() {
            return Objects.requireNonNull(jobs.admin
                    .resources(Fabric.class)
                    .withName(LeavesInARow.FABRIC)
                    .require()
                    .getStatus());
        }

        /** What is said of links that may be about to fail, of the Fabric and of switches. */
        List<String> impaired() {
            return Stream.concat(
                            status().conditions().stream(),
                            jobs.admin.resources(FabricSwitch.class).list().getItems().stream()
                                    .filter(each -> each.getStatus() != null)
                                    .flatMap(each -> each.getStatus().conditions().stream()))
                    .filter(each -> each.type().equals("Impaired") && each.status() == ConditionStatus.True)
                    .map(Condition::message)
                    .toList();
        }

        void symbolErrors(int errors) {
            subnet.say("PerformanceSet \"S-%s\"[%d] PortCounters.SymbolErrorCounter=%d"
                    .formatted(LeavesInARow.leaf(2), UPLINK, errors));
        }

        /** When a look has told last how much ports send. */
        Instant looked() {
            JsonNode ports = viewer.json(QueryClient.FABRICS + LeavesInARow.FABRIC + "/ports");
            return ports.path("ports").findValuesAsText("asOf").stream()
                    .map(Instant::parse)
                    .max(Instant::compareTo)
                    .orElse(Instant.EPOCH);
        }

        /** How long it takes until a look that begins after this moment is told. */
        void assertReportsGoOn(String after, Duration within) {
            Instant from = Instant.now();
            eventually(() -> assertThat(looked()).isAfter(from.plus(INTERVAL)));
            Duration taken = Duration.between(from, Instant.now());
            System.out.printf("%s: reports of ports go on after %d ms%n", after, taken.toMillis());
            assertThat(taken).isLessThan(within);
        }

        void assertFirstPodIsAnswered(String after, Duration within) {
            Instant from = Instant.now();
            eventually(() -> assertThat(first.answered()).isAfter(from));
            Duration taken = Duration.between(from, Instant.now());
            System.out.printf("%s: the first pod is answered after %d ms%n", after, taken.toMillis());
            assertThat(taken).isLessThan(within);
        }

        @Override
        public void close() {
            first.close();
            viewer.close();
            sweeper.kill();
            controller.close();
            servers.forEach(OperatorProcess::close);
            subnet.close();
            jobs.admin.leases().inNamespace(OperatorProcess.NAMESPACE).delete();
            jobs.admin.resources(FabricDevice.class).delete();
            jobs.admin.resources(FabricSwitch.class).delete();
            jobs.admin.resources(Fabric.class).delete();
            jobs.close();
        }
    }

    @Test
    void ofAManagerASweeperAServerAndAnApiServerThatDieRanksAreToldNothingAndReportsGoOn(
            @ClassNamespace String namespace, @TempDir Path directory) throws Exception {
        Files.createDirectories(directory.resolve("faulty"));
        try (FaultyApiServer api = FaultyApiServer.start(cluster, directory.resolve("faulty"));
                Running running = new Running(cluster, api, namespace, directory)) {
            String host = LeavesInARow.host(3, 2);
            running.assertReportsGoOn("undisturbed", SOON);
            running.first.forget();

            running.subnet.manageAnew(host, OpenSmPlugin.options(directory));
            running.assertReportsGoOn("opensm killed and started again", SOON);

            Process other = running.subnet.another(LeavesInARow.host(3, 1));
            running.assertReportsGoOn("two masters", SOON);
            running.subnet.killManager();
            running.assertReportsGoOn("one of two masters killed", SOON);
            other.destroyForcibly().onExit().join();
            running.subnet.manageAnew(host, OpenSmPlugin.options(directory));

            running.sweeper.kill();
            running.symbolErrors(800);
            running.sweeper = running.sweeper("another");
            running.assertReportsGoOn("the sweeper killed, another has its lease", Duration.ofSeconds(20));

            running.servers.getFirst().kill();
            running.assertFirstPodIsAnswered("its server killed", SOON);

            api.play(request -> new FaultyApiServer.Fault.Closed());
            Thread.sleep(AWAY);
            api.play(request -> FaultyApiServer.Fault.NONE);
            running.assertFirstPodIsAnswered("the API server away for 20 s", SOON);
            running.startAgain();
            running.assertReportsGoOn("the API server away for 20 s", Duration.ofSeconds(30));
            Thread.sleep(10_000);

            assertThat(running.first.told()).isEmpty();
            assertThat(running.impaired()).isEmpty();

            running.symbolErrors(840);
            Instant from = Instant.now();
            eventually(() -> assertThat(running.first.told()).hasSize(PODS));
            System.out.printf(
                    "after all of it a sign is told in %d ms%n",
                    Duration.between(from, running.first.told().getLast().when())
                            .toMillis());
            assertThat(running.first.told())
                    .allSatisfy(each -> assertThat(each.event()).startsWith("impaired "));
        }
    }

    @Timeout(LONG_MINUTES * 60)
    @Test
    void aSignIsOverAfterTheQuietTimeAndABurstWhileAManagerBeginsIsNone(
            @ClassNamespace String namespace, @TempDir Path directory) throws Exception {
        try (Running running = new Running(cluster, cluster, namespace, directory)) {
            String host = LeavesInARow.host(3, 2);
            running.assertReportsGoOn("undisturbed", Duration.ofSeconds(20));
            running.first.forget();

            Thread restart =
                    Thread.startVirtualThread(() -> running.subnet.manageAnew(host, OpenSmPlugin.options(directory)));
            Thread.sleep(300);
            running.symbolErrors(400);
            restart.join();
            Thread.sleep(15_000);
            assertThat(running.first.told()).as("while opensm begins").isEmpty();

            running.symbolErrors(440);
            eventually(() -> assertThat(running.first.told()).hasSize(PODS));
            Instant told = running.first.told().getLast().when();
            assertThat(running.first.told())
                    .allSatisfy(each -> assertThat(each.event()).startsWith("impaired "));
            running.first.forget();
            while (running.first.told().size() < PODS && Instant.now().isBefore(told.plusSeconds(600))) {
                Thread.sleep(1_000);
            }
            assertThat(running.first.told())
                    .hasSize(PODS)
                    .allSatisfy(each -> assertThat(each.event()).startsWith("restored "));
            System.out.printf(
                    "over %d s after it was told%n",
                    Duration.between(told, running.first.told().getFirst().when())
                            .toSeconds());
            eventually(() -> assertThat(running.impaired()).isEmpty());
        }
    }
}
