/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.PMIXD;
import static dev.fabricoperator.e2e.job.direct.FaultCase.RANKS;
import static dev.fabricoperator.e2e.job.direct.FaultCase.held;
import static dev.fabricoperator.e2e.job.direct.FaultCase.job;
import static dev.fabricoperator.e2e.job.direct.FaultCase.soon;
import static dev.fabricoperator.e2e.job.direct.FaultCase.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.node.RealNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/** The operator, the API server and a node go away while jobs wait and run. */
@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("long")
class OutagesTest {
    private static final int AWAY_SECONDS = 20;

    private final FaultCase faults;

    OutagesTest(FaultCase faults) {
        this.faults = faults;
    }

    private void firstPodThatWaits(String job) {
        faults.create(held(job(job, 2, "mpi-proof", "1")));
        Pod first = faults.pod(job, 0);
        faults.open(first);
        faults.awaitLog(first, PMIXD, "launcher connected");
    }

    private void assertRanAtOnce(String job) {
        faults.awaitEnd(job, "Complete");
        assertThat(faults.awaitPhase(job, JobPhase.Succeeded).attempt()).isZero();
        assertThat(faults.pods(job)).hasSize(2);
    }

    @Test
    @Order(1)
    void replicasThatAreAllKilledWhilePodsWaitChangeNothing() {
        firstPodThatWaits("orphans");

        faults.servers().forEach(server -> faults.kill(server, "server"));
        soon().until(() -> faults.servers().stream()
                .allMatch(server -> status(server, "server").getRestartCount() > 0
                        && status(server, "server").getReady()));
        faults.open(faults.pod("orphans", 1));

        assertRanAtOnce("orphans");
    }

    @Test
    @Order(2)
    void aRolloutWhileJobsWaitAndRunChangesNothingAndPodsAreSentOnToTheReplicaThatHasTheJob() {
        List<String> waiting =
                IntStream.range(0, 5).mapToObj(i -> "rolled-" + i).toList();
        waiting.forEach(this::firstPodThatWaits);
        faults.create(job("runs-on", 2, "mpi-steady", "1000", "0"));
        Pod runs = faults.pod("runs-on", 0);
        faults.awaitLog(runs, RANKS, "steady: attempt 0 rank 0 of 2 begins");
        String leader = leader();

        for (String role : List.of("server", "controller")) {
            String deployment = "deployment/fabric-operator-" + role;
            faults.kubectl.run("-n", "fabric-operator", "rollout", "restart", deployment);
            faults.kubectl.run("-n", "fabric-operator", "rollout", "status", "--timeout=240s", deployment);
        }
        soon().until(() -> !leader().isEmpty() && !leader().equals(leader));
        waiting.forEach(job -> faults.open(faults.pod(job, 1)));

        waiting.forEach(this::assertRanAtOnce);
        assertThat(sentOn()).as("answers 307 of all replicas").isPositive();
        assertThat(faults.fabricJob("runs-on").phase()).isEqualTo(JobPhase.Running);
        assertThat(faults.fabricJob("runs-on").attempt()).isZero();
        assertThat(faults.log(runs, RANKS)).doesNotContain("attempt 1");
        faults.kubectl.run("-n", faults.namespace, "delete", "job", "runs-on");
    }

    /** Empty between one that has gone and the next. */
    private String leader() {
        String holder = faults.admin
                .leases()
                .inNamespace("fabric-operator")
                .list()
                .getItems()
                .getFirst()
                .getSpec()
                .getHolderIdentity();
        return Objects.requireNonNullElse(holder, "");
    }

    private double sentOn() {
        return faults.servers().stream()
                .map(server -> faults.kubectl.run(
                        "get",
                        "--raw",
                        "/api/v1/namespaces/fabric-operator/pods/"
                                + server.getMetadata().getName() + ":8080/proxy/q/metrics"))
                .flatMap(String::lines)
                .filter(line -> line.startsWith("fabric_operator_jobs_seconds_count{") && line.contains("code=\"307\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Test
    @Order(3)
    void ranksRunOnWhileTheApiServerIsAwayAndTheirEndIsSeenWhenItIsBack() throws InterruptedException {
        faults.create(job("alone", 2, "mpi-steady", "12", "0"));
        Pod first = faults.pod("alone", 0);
        faults.awaitLog(first, RANKS, "steady: attempt 0 rank 0 of 2 begins");

        faults.cluster.controlPlane().stopApiServer();
        TimeUnit.SECONDS.sleep(AWAY_SECONDS);
        faults.cluster.controlPlane().startApiServer();

        assertRanAtOnce("alone");
        assertThat(faults.log(first, RANKS)).contains("steady: attempt 0, all sums ok");
    }

    @Test
    @Order(4)
    void whenANodeIsGoneItsPodsAreReplacedAndTheOthersRunOnWithThem() {
        faults.create(job("dark", 4, "mpi-steady", "1000", "0"));
        List<Pod> pods = IntStream.range(0, 4)
                .mapToObj(
                        index -> faults.pod("dark", index, pod -> pod.getSpec().getNodeName() != null))
                .toList();
        faults.awaitLog(pods.getFirst(), RANKS, "steady: attempt 0 rank 0 of 4 begins");
        RealNode node = faults.cluster.node("node-2");
        List<Pod> lost = pods.stream()
                .filter(pod -> pod.getSpec().getNodeName().equals(node.name()))
                .toList();
        assertThat(lost).hasSize(2);

        node.cutPower();
        try {
            // What an administrator does who knows that it will not come back; Kubernetes by itself waits for minutes.
            faults.kubectl.run("cordon", node.name());
            faults.kubectl.run(
                    "delete",
                    "pods",
                    "--all-namespaces",
                    "--field-selector",
                    "spec.nodeName=" + node.name(),
                    "--force",
                    "--grace-period=0");

            Job end = faults.awaitEnd("dark", "Complete");
            assertThat(end.getStatus().getFailed()).isEqualTo(2);
            assertThat(pods)
                    .filteredOn(pod -> !lost.contains(pod))
                    .allSatisfy(pod -> assertThat(status(faults.now(pod), RANKS).getRestartCount())
                            .isZero());
            assertThat(faults.awaitPhase("dark", JobPhase.Succeeded).attempt()).isEqualTo(1);
        } finally {
            node.restorePower();
            faults.kubectl.run("wait", "--for=condition=Ready", "--timeout=180s", "node/" + node.name());
            faults.kubectl.run("uncordon", node.name());
        }
    }
}
