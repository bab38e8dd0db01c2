/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.PMIXD;
import static dev.fabricoperator.e2e.job.direct.FaultCase.RANKS;
import static dev.fabricoperator.e2e.job.direct.FaultCase.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.e2e.cluster.BlockingTasks;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.cluster.ServiceAccountTokens;
import dev.fabricoperator.e2e.hostile.Attack;
import dev.fabricoperator.e2e.hostile.Attacker;
import dev.fabricoperator.e2e.job.LaunchCluster;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.node.HostProcesses;
import dev.fabricoperator.e2e.node.RealNode;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Attacks every port of the real programs in their real containers, under their real limits, while a job runs and others are launched. A stranger's packets come
 * from a node's network; what only processes of a pod can reach is attacked from within that pod's network or volume.
 */
@OnRealNodes
@Tag("long")
@ExtendWith(LaunchClusterExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileTest {
    private static final int SECONDS = 2;
    private static final String STRANGERS = "strangers";
    private static final int MESH_PORT = 7471;
    private static final String EXTENDER = "FABRIC_OPERATOR_EXTENDER_ENABLED";

    private final FaultCase faults;
    private final List<String> table = new ArrayList<>();
    private String victim = "";
    private int jobs;
    private String foreignToken = "";

    HostileTest(FaultCase faults) {
        this.faults = faults;
    }

    @BeforeAll
    void startAStranger() {
        foreignToken = foreignToken();
    }

    /** One that an attack has ended is not there for the next. */
    @BeforeEach
    void startAVictim() {
        if (victim.isEmpty() || !isInItsFirstAttempt(victim)) {
            delete(victim);
            victim = "victim-" + jobs++;
            faults.create(job(victim, 2, "mpi-steady", "3600", "0"));
            faults.awaitLog(faults.pod(victim, 0), RANKS, "steady: attempt 0 rank 0 of 2 begins");
        }
    }

    private boolean isInItsFirstAttempt(String job) {
        FabricJobStatus status = faults.fabricJob(job);
        return status.phase() == JobPhase.Running && Objects.equals(status.attempt(), 0);
    }

    private void delete(String job) {
        if (job.isEmpty()) {
            return;
        }
        faults.admin
                .batch()
                .v1()
                .jobs()
                .inNamespace(faults.namespace)
                .withName(job)
                .delete();
    }

    @AfterAll
    void writeTheTable() throws IOException {
        Path file = ProjectRoot.find().resolve("target/hostile.md");
        Files.createDirectories(file.resolveSibling(""));
        List<String> lines = new ArrayList<>(
                List.of("| port | attack | what the attacker got | MiB before, at most |", "|---|---|---|---|"));
        lines.addAll(table);
        Files.write(file, lines);
        lines.forEach(System.out::println);
        delete(victim);
        faults.admin.namespaces().withName(STRANGERS).delete();
    }

    /** A pod with a token of the right audience, in a namespace that has no part in any job. */
    private String foreignToken() {
        faults.admin
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(STRANGERS)
                        .endMetadata()
                        .build())
                .serverSideApply();
        Pod pod = FaultCase.soon()
                .ignoreExceptions()
                .until(
                        () -> faults.admin
                                .resource(new PodBuilder()
                                        .withNewMetadata()
                                        .withName("stranger")
                                        .withNamespace(STRANGERS)
                                        .endMetadata()
                                        .withNewSpec()
                                        .withContainers(new ContainerBuilder()
                                                .withName("idle")
                                                .withImage(ProofImages.PLAIN)
                                                .withImagePullPolicy("Never")
                                                .withCommand("sleep", "3600")
                                                .build())
                                        .endSpec()
                                        .build())
                                .serverSideApply(),
                        Objects::nonNull);
        return ServiceAccountTokens.ofPod(faults.admin, pod, LaunchApi.TOKEN_AUDIENCE);
    }

    @Test
    void theWebhooksGoOnUnderAttack() {
        attackServer(9443, Attack.onHttps());
    }

    @Test
    void theJobServiceGoesOnUnderAttack() {
        attackServer(9444, Attack.onHttps());
    }

    @Test
    void theQueryApiGoesOnUnderAttack() {
        attackServer(8443, Attack.onHttps());
    }

    @Test
    void theSchedulerExtenderGoesOnUnderAttack() {
        Command kubectl = Command.kubectl(faults.cluster);
        LaunchCluster.setServers(kubectl, EXTENDER + "=true");
        try {
            attackServer(9445, Attack.onHttps());
        } finally {
            LaunchCluster.setServers(kubectl, EXTENDER + "=false");
        }
    }

    @Test
    void healthAndMetricsGoOnUnderAttack() {
        attackServer(8080, Attack.onAnySocket());
    }

    @Test
    void thePortBetweenThePodsOfAJobGoesOnUnderAttack() {
        // The first pod is the one that the others connect to.
        Pod pod = faults.now(faults.pod(victim, 0));
        RealNode other = faults.cluster.nodes().stream()
                .filter(node -> !node.name().equals(pod.getSpec().getNodeName()))
                .findFirst()
                .orElseThrow();
        attackPmixd(
                "mesh, " + MESH_PORT,
                pod,
                Attack.onAnySocket(),
                attack ->
                        other.inNetwork(command(attack, "tcp:" + pod.getStatus().getPodIP() + ":" + MESH_PORT)));
    }

    @Test
    void thePmixPortGoesOnWhenProcessesOfThePodAttackIt() {
        Pod pod = faults.now(faults.pod(victim, 0));
        long pid = processOf(pod, PMIXD).pid();
        Set<Integer> ports = HostProcesses.portsOnLoopback(pid);
        assertThat(ports).isNotEmpty();
        for (int port : ports) {
            attackPmixd(
                    "PMIx, 127.0.0.1:" + port,
                    pod,
                    Attack.onAnySocket(),
                    attack -> HostProcesses.runInNetworkOf(pid, List.of(command(attack, "tcp:127.0.0.1:" + port))));
        }
    }

    @Test
    void theLaunchersSocketGoesOnWhenProcessesOfThePodAttackIt() {
        Pod pod = faults.now(faults.pod(victim, 0));
        Path socket = Path.of("/proc/" + processOf(pod, RANKS).pid() + "/root/run/fabric-operator/pmixd.sock");
        attackPmixd(
                "launcher's socket",
                pod,
                Attack.onAnySocket(),
                attack -> HostProcesses.run(List.of(command(attack, "unix:" + socket))));
    }

    private String[] command(Attack attack, String target) {
        return Attacker.command(attack, target, SECONDS, foreignToken).toArray(String[]::new);
    }

    private interface Attacking {
        String run(Attack attack);
    }

    private void attackServer(int port, Set<Attack> attacks) {
        Pod server = faults.now(faults.servers().getFirst());
        RealNode other = faults.cluster.nodes().stream()
                .filter(node -> !node.name().equals(server.getSpec().getNodeName()))
                .findFirst()
                .orElseThrow();
        List<String> before = incarnations();
        CompletableFuture<Void> attacking = BlockingTasks.start(() -> {
            for (Attack attack : attacks) {
                HostProcesses.Memory memory = processOf(server, "server");
                String outcome = other.inNetwork(
                        command(attack, "tcp:" + server.getStatus().getPodIP() + ":" + port));
                record(Integer.toString(port), attack, outcome, memory, server, "server");
                assertThat(incarnations())
                        .as("servers under " + attack + " on " + port)
                        .containsExactlyElementsOf(before);
            }
        });
        // A launch takes a webhook and the job service, on either server.
        do {
            launchAJob();
        } while (!attacking.isDone());
        attacking.join();
        assertThat(incarnations()).as("servers after all attacks on " + port).containsExactlyElementsOf(before);
        assertTheVictimRuns();
    }

    private List<String> incarnations() {
        return faults.servers().stream()
                .map(pod -> incarnation(pod, "server"))
                .sorted()
                .toList();
    }

    private void attackPmixd(String port, Pod pod, Set<Attack> attacks, Attacking attacking) {
        String before = incarnation(pod, PMIXD);
        for (Attack attack : attacks) {
            HostProcesses.Memory memory = processOf(pod, PMIXD);
            String outcome = attacking.run(attack);
            record(port, attack, outcome, memory, pod, PMIXD);
            assertThat(incarnation(faults.now(pod), PMIXD))
                    .as("pmixd under " + attack + " on " + port)
                    .isEqualTo(before);
        }
        launchAJob();
        assertTheVictimRuns();
    }

    private void launchAJob() {
        String name = "beside-" + jobs++;
        faults.create(job(name, 2, "mpi-proof", "1"));
        faults.awaitEnd(name, "Complete");
        assertThat(faults.awaitPhase(name, JobPhase.Succeeded).attempt())
                .as("attempts of a job beside the attack")
                .isZero();
        delete(name);
    }

    private void assertTheVictimRuns() {
        assertThat(isInItsFirstAttempt(victim))
                .as("%s", faults.fabricJob(victim))
                .isTrue();
        for (Pod pod : faults.pods(victim)) {
            assertThat(pod.getStatus().getContainerStatuses())
                    .allSatisfy(status -> assertThat(status.getState().getRunning())
                            .as(pod.getMetadata().getName() + " " + status.getName())
                            .isNotNull());
        }
    }

    private static String incarnation(Pod pod, String container) {
        ContainerStatus status = FaultCase.status(pod, FaultCase.containerOf(pod, container));
        return pod.getMetadata().getName() + " " + status.getContainerID() + " " + status.getReady();
    }

    private static HostProcesses.Memory processOf(Pod pod, String container) {
        return FaultCase.process(pod, container);
    }

    private void record(
            String port, Attack attack, String outcome, HostProcesses.Memory before, Pod pod, String container) {
        assertThat(outcome).as(attack + " on " + port).doesNotContainPattern("[{ ]2[0-9][0-9]=");
        // Above its container's limit it would not be there any more.
        HostProcesses.Memory after = processOf(faults.now(pod), container);
        table.add("| %s | %s | %s | %d, %d |"
                .formatted(port, attack.words(), outcome.strip(), before.residentMebibytes(), after.peakMebibytes()));
    }
}
