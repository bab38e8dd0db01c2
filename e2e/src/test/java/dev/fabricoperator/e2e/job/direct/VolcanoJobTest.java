/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.RANKS;
import static dev.fabricoperator.e2e.job.direct.FaultCase.soon;
import static dev.fabricoperator.e2e.job.direct.FaultCase.status;
import static dev.fabricoperator.e2e.job.direct.FaultCase.uid;
import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.volcano.Volcano;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Volcano Jobs as Volcano's own controllers make their pods and its own scheduler places them, on real nodes. */
@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
class VolcanoJobTest {
    private static final String API = "batch.volcano.sh/v1alpha1";
    private static final String RESTART = "[{event: PodFailed, action: RestartJob}]";

    private static @Nullable Volcano volcano;

    private final FaultCase faults;

    VolcanoJobTest(FaultCase faults) {
        this.faults = faults;
    }

    @BeforeAll
    static void startVolcano(FaultCase faults, @TempDir Path work) {
        volcano = Volcano.find(
                        faults.cluster, work, (name, command) -> faults.cluster.startServer(name, command, Map.of()))
                .orElse(null);
        Assumptions.assumeTrue(volcano != null, "no Volcano: run \"make setup\" as root");
        Objects.requireNonNull(volcano).applyCustomResources();
        Objects.requireNonNull(volcano).startWithPreemption();
        // The scheduler makes it.
        soon().ignoreExceptions()
                .until(() -> faults.admin
                                .genericKubernetesResources("scheduling.volcano.sh/v1beta1", "Queue")
                                .withName("default")
                                .get()
                        != null);
    }

    @AfterAll
    static void stopVolcano() {
        if (volcano != null) {
            volcano.close();
        }
    }

    @AfterEach
    void deleteJobs() {
        jobs().delete();
    }

    private NonNamespaceOperation<
                    GenericKubernetesResource, GenericKubernetesResourceList, Resource<GenericKubernetesResource>>
            jobs() {
        return faults.admin.genericKubernetesResources(API, "Job").inNamespace(faults.namespace);
    }

    private static String task(
            String job, String name, int replicas, int ranksPerPod, String resources, String command) {
        return """
                  - name: %2$s
                    replicas: %3$d
                    template:
                      metadata:
                        annotations: {fabric-operator.dev/launch: direct, fabric-operator.dev/ranks-per-pod: "%4$d"}
                      spec:
                        automountServiceAccountToken: false
                        terminationGracePeriodSeconds: 1
                        restartPolicy: Never
                        affinity:
                          podAntiAffinity:
                            requiredDuringSchedulingIgnoredDuringExecution:
                              - topologyKey: kubernetes.io/hostname
                                labelSelector: {matchLabels: {volcano.sh/job-name: %1$s}}
                        containers:
                        - name: ranks
                          image: %5$s
                          imagePullPolicy: Never
                          command: %6$s
                          resources: %7$s
                          env: [{name: OMPI_MCA_mpi_yield_when_idle, value: "1"}]
                """.formatted(job, name, replicas, ranksPerPod, ProofImages.PLAIN, command, resources);
    }

    /** Three pods of two tasks, each on a node of its own. */
    private void create(String name, int minAvailable, String more, int ranksOfTheDriver, String command) {
        create(name, minAvailable, more, ranksOfTheDriver, "{requests: {cpu: 50m}}", command);
    }

    private void create(
            String name, int minAvailable, String more, int ranksOfTheDriver, String resources, String command) {
        String manifest = """
                apiVersion: %s
                kind: Job
                metadata: {name: %s}
                spec:
                  schedulerName: volcano
                  queue: default
                  minAvailable: %d
                  %s
                  tasks:
                """.formatted(API, name, minAvailable, more)
                + task(name, "driver", 1, ranksOfTheDriver, resources, command)
                + task(name, "worker", 2, 1, resources, command);
        faults.admin
                .load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8)))
                .inNamespace(faults.namespace)
                .create();
    }

    private Pod pod(String name) {
        soon().until(() -> found(name) != null);
        return Objects.requireNonNull(found(name));
    }

    private @Nullable Pod found(String name) {
        return faults.admin.pods().inNamespace(faults.namespace).withName(name).get();
    }

    private List<Pod> pods(String job) {
        return faults.admin
                .pods()
                .inNamespace(faults.namespace)
                .withLabel("volcano.sh/job-name", job)
                .list()
                .getItems();
    }

    private GenericKubernetesResource awaitState(String job, String phase) {
        soon().untilAsserted(() -> assertThat(job(job).<String>get("status", "state", "phase"))
                .as(() -> Objects.requireNonNull(volcano).logs())
                .isEqualTo(phase));
        return job(job);
    }

    private GenericKubernetesResource job(String name) {
        return Objects.requireNonNull(jobs().withName(name).get());
    }

    @Test
    void theTasksAreTheAppsOfOnePmixJobWhateverPluginsTheJobHas() {
        create(
                "tasks",
                3,
                "policies: " + RESTART + "\n  plugins: {svc: [], ssh: [], env: []}",
                2,
                "[sh, -c, \"pmix-report | grep -E 'pmix.(napps|appnum|app.size) '; exec mpi-clock\"]");

        awaitState("tasks", "Completed");

        FabricJobStatus told = faults.awaitPhase("tasks", JobPhase.Succeeded);
        assertThat(told.size()).isEqualTo(4);
        assertThat(told.attempt()).isZero();
        List<Pod> pods = pods("tasks");
        assertThat(pods)
                .extracting(pod -> pod.getSpec().getNodeName())
                .as("each on a node of its own")
                .doesNotHaveDuplicates()
                .hasSize(3);
        StringBuilder output = new StringBuilder();
        for (Pod pod : pods) {
            assertThat(pod.getSpec().getSchedulerName()).isEqualTo("volcano");
            assertThat(status(pod, RANKS).getState().getTerminated().getExitCode())
                    .isZero();
            output.append(faults.log(pod, RANKS));
        }
        assertThat(output)
                .contains("clock rank=0 size=4", "clock rank=3 size=4")
                .contains("rank1 pmix.appnum PMIX_UINT32 0", "rank2 pmix.appnum PMIX_UINT32 1");
    }

    @Test
    void ofAJobWithoutPluginsAKilledPodIsReplacedAndTheSurvivorsGoOnInTheNextAttempt() {
        create("killed", 3, "policies: " + RESTART, 1, "[mpi-steady, \"1000\", \"0\"]");
        Pod survivor = pod("killed-driver-0");
        Pod dies = pod("killed-worker-1");
        faults.awaitLog(survivor, RANKS, "steady: attempt 0 rank 0 of 3 begins");

        faults.remove(dies);

        GenericKubernetesResource end = awaitState("killed", "Completed");
        assertThat(end.<Integer>get("status", "retryCount"))
                .as("it costs no retry")
                .isNull();
        assertThat(faults.awaitPhase("killed", JobPhase.Succeeded).attempt()).isEqualTo(1);
        assertThat(uid(faults.now(survivor))).isEqualTo(uid(survivor));
        assertThat(uid(faults.now(dies))).isNotEqualTo(uid(dies));
        assertThat(faults.log(survivor, RANKS)).contains("steady: attempt 1, all sums ok");
    }

    @Test
    void aPodThatFailsLetsVolcanoRestartTheJobWhichIsTheNextAttempt() {
        create("again", 3, "policies: " + RESTART, 1, "[mpi-steady, \"1000\", \"0\"]");
        Pod first = pod("again-driver-0");
        faults.awaitLog(first, RANKS, "steady: attempt 0 rank 0 of 3 begins");

        faults.kill(pod("again-worker-0"), RANKS);

        GenericKubernetesResource end = awaitState("again", "Completed");
        assertThat(end.<Integer>get("status", "retryCount")).isEqualTo(1);
        assertThat(faults.awaitPhase("again", JobPhase.Succeeded).attempt()).isEqualTo(1);
        assertThat(uid(faults.now(first))).as("all pods are made again").isNotEqualTo(uid(first));
        assertThat(faults.log(first, RANKS)).contains("steady: attempt 1, all sums ok");
    }

    @Test
    void aPodThatFailsAfterOthersHaveCompletedLetsAllRunAgain() {
        String name = restartedByVolcano("late", """
                [sh, -c, "mpi-proof 1 || exit 1; case $PMIX_NAMESPACE.$PMIX_RANK in *-0.2) sleep 4; exit 5;; esac"]""");

        GenericKubernetesResource end = awaitState(name, "Completed");

        assertThat(end.<Integer>get("status", "retryCount")).isEqualTo(1);
        assertThat(faults.awaitPhase(name, JobPhase.Succeeded).attempt()).isEqualTo(1);
    }

    /**
     * A Job of which Volcano has made all pods a second time. Seen once in 1.14.1: pods that had ended before the restart were deleted while the Job was
     * synced, and it stayed Restarting without pods for good. Such a Job says nothing of ours; another one is made.
     */
    private String restartedByVolcano(String prefix, String command) {
        for (int i = 0; ; i++) {
            String name = prefix + "-" + i;
            create(name, 3, "policies: " + RESTART, 1, command);
            soon().until(() -> Objects.equals(job(name).<Integer>get("status", "retryCount"), 1));
            try {
                Awaitility.await()
                        .atMost(Duration.ofSeconds(i < 2 ? 60 : LIMIT.toSeconds()))
                        .until(() -> !"Restarting".equals(job(name).<String>get("status", "state", "phase")));
                return name;
            } catch (ConditionTimeoutException e) {
                assertThat(pods(name))
                        .as("pods of %s, which does not restart", job(name))
                        .isEmpty();
                if (i == 2) {
                    throw e;
                }
            }
        }
    }

    @Test
    void aGangThatIsEvictedWaitsAsAWholeUntilThereIsRoomAndThenRunsAgain() {
        create(
                "evicted",
                3,
                "policies: [{events: [PodEvicted, PodFailed], action: RestartJob}]",
                1,
                "[mpi-steady, \"1000\", \"0\"]");
        Pod first = pod("evicted-driver-0");
        faults.awaitLog(first, RANKS, "steady: attempt 0 rank 0 of 3 begins");
        String node = pod("evicted-worker-1").getSpec().getNodeName();
        cordon(node, true);
        try {
            faults.remove(pod("evicted-worker-1"));

            soon().until(() -> {
                Pod again = found("evicted-driver-0");
                return again != null
                        && !uid(again).equals(uid(first))
                        && pods("evicted").size() == 3;
            });
            // Some sessions of the scheduler, which begin one a second.
            Awaitility.await()
                    .during(Duration.ofSeconds(4))
                    .atMost(LIMIT)
                    .until(() -> pods("evicted").stream()
                            .allMatch(pod -> pod.getSpec().getNodeName() == null));
        } finally {
            cordon(node, false);
        }

        awaitState("evicted", "Completed");
        assertThat(faults.awaitPhase("evicted", JobPhase.Succeeded).attempt()).isEqualTo(1);
        assertThat(faults.log(first, RANKS)).contains("steady: attempt 1, all sums ok");
    }

    @Test
    void aGangThatOneOfHigherPriorityPreemptsComesBackAsAWholeAndRunsAgain() {
        // One on each node, so that there is room for one gang.
        String slot = "example.org/slot";
        String resources = "{requests: {cpu: 50m}, limits: {" + slot + ": \"1\"}}";
        String policies = "policies: [{events: [PodEvicted, PodFailed], action: RestartJob}]";
        Map.of("low", 10, "high", 1000)
                .forEach((name, value) -> faults.admin
                        .resource(new PriorityClassBuilder()
                                .withNewMetadata()
                                .withName(name)
                                .endMetadata()
                                .withValue(value)
                                .build())
                        .create());
        advertise(slot, "1");
        try {
            create("low", 3, "priorityClassName: low\n  " + policies, 1, resources, "[mpi-steady, \"1000\", \"0\"]");
            Pod first = pod("low-driver-0");
            faults.awaitLog(first, RANKS, "steady: attempt 0 rank 0 of 3 begins");

            create("high", 3, "priorityClassName: high\n  " + policies, 1, resources, "[mpi-steady, \"1000\", \"0\"]");

            faults.awaitLog(pod("high-driver-0"), RANKS, "steady: attempt 0 rank 0 of 3 begins");
            eventually(() -> assertThat(pods("low"))
                    .as("all of the gang are made again, and wait")
                    .hasSize(3)
                    .noneMatch(pod -> uid(pod).equals(uid(first)))
                    .allSatisfy(pod -> assertThat(pod.getSpec().getNodeName()).isNull()));
            assertThat(job("high").<String>get("status", "state", "phase")).isEqualTo("Running");

            faults.endSteady(pod("high-driver-0"));
            awaitState("high", "Completed");
            assertThat(faults.awaitPhase("high", JobPhase.Succeeded).attempt()).isZero();
            GenericKubernetesResource end = awaitState("low", "Completed");
            assertThat(end.<Integer>get("status", "retryCount")).isEqualTo(1);
            assertThat(faults.awaitPhase("low", JobPhase.Succeeded).attempt()).isEqualTo(1);
            assertThat(faults.log(first, RANKS)).contains("steady: attempt 1, all sums ok");
        } finally {
            advertise(slot, null);
            faults.admin.scheduling().v1().priorityClasses().withName("low").delete();
            faults.admin.scheduling().v1().priorityClasses().withName("high").delete();
        }
    }

    /** An extended resource of every node, as administrators advertise one that no device plugin has; {@code null} for none. */
    private void advertise(String resource, @Nullable String count) {
        faults.admin
                .nodes()
                .list()
                .getItems()
                .forEach(node -> faults.admin
                        .nodes()
                        .withName(node.getMetadata().getName())
                        .subresource("status")
                        .patch(
                                PatchContext.of(PatchType.JSON_MERGE),
                                "{\"status\":{\"capacity\":{\"" + resource + "\":"
                                        + (count == null ? "null" : "\"" + count + "\"") + "}}}"));
    }

    private void cordon(String node, boolean closed) {
        eventually(() -> faults.admin.nodes().withName(node).edit(found -> {
            found.getSpec().setUnschedulable(closed ? true : null);
            return found;
        }));
    }

    @Test
    @Tag("long")
    void whileTheOperatorIsAwayPodsAreDeniedAndVolcanoMakesThemByItselfWhenItIsBack() {
        scaleServers(0);
        soon().until(() -> faults.servers().isEmpty());
        try {
            create("waits", 3, "policies: " + RESTART, 1, "[mpi-proof, \"1\"]");
            soon().untilAsserted(() -> assertThat(faults.events("waits"))
                    .anySatisfy(event -> assertThat(event)
                            .contains("FailedCreate", "has not prepared this pod for its direct launch")));
            assertThat(pods("waits")).isEmpty();
        } finally {
            scaleServers(2);
        }

        awaitState("waits", "Completed");
        assertThat(faults.awaitPhase("waits", JobPhase.Succeeded).attempt()).isZero();
    }

    private void scaleServers(int replicas) {
        faults.kubectl.run(
                "-n", "fabric-operator", "scale", "deployment", "fabric-operator-server", "--replicas=" + replicas);
    }

    @Test
    void theExitCodeOfTheProgramIsTheEndOfTheJob() {
        create("exits", 3, "maxRetry: 1\n  policies: " + RESTART, 1, "[sh, -c, \"mpi-proof 1; exit 3\"]");

        awaitState("exits", "Failed");

        faults.awaitPhase("exits", JobPhase.Failed);
        assertThat(pods("exits"))
                .extracting(pod -> status(pod, RANKS).getState().getTerminated())
                .filteredOn(Objects::nonNull)
                .extracting(ContainerStateTerminated::getExitCode)
                .contains(3);
    }

    @Test
    void whatIsRefusedStandsInTheEventsOfTheJob() {
        create("part", 2, "policies: " + RESTART, 1, "[mpi-proof, \"1\"]");

        soon().untilAsserted(() -> assertThat(faults.events("part"))
                .anySatisfy(event -> assertThat(event)
                        .contains(
                                "FailedCreate", "minAvailable is 2, and 3 pods are made; set spec.minAvailable to 3")));
        assertThat(pods("part")).isEmpty();
    }
}
