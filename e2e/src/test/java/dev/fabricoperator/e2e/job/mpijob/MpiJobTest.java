/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.mpijob;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.job.DirectJob;
import dev.fabricoperator.e2e.job.MpiOperator;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.node.HostProcesses;
import dev.fabricoperator.e2e.node.NodeFabrics;
import dev.fabricoperator.e2e.node.RealCluster;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.readiness.Readiness;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code launch: env} and {@code launch: direct} for MPIJobs, with the real MPI Operator, Debian's Open MPI 5 and its sshd. No MPIJob here sets a variable. */
@OnRealNodes
class MpiJobTest {
    private static final String ANNOTATION = "annotations: {fabric-operator.dev/launch: env}";
    private static final String DIRECT = "annotations: {fabric-operator.dev/launch: direct}";
    private static final Pattern RANK = Pattern.compile("rank (\\d+) of (\\d+) on (\\S+) with UCX_NET_DEVICES=(\\S*)");
    /** Of each rank. It ends after a second: Open MPI's own daemon can miss the end of a rank that is over before its pid is noted, and then mpirun does not end (PRRTE pull request 2713). */
    private static final String TELL =
            "echo rank $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE on $(hostname) with UCX_NET_DEVICES=$UCX_NET_DEVICES; head -c 400 /run/fabric-operator/place.json; echo; sleep 1";

    private final RealCluster cluster;
    private final KubernetesClient admin;

    private record Rank(int size, String pod, String devices) {}

    MpiJobTest(RealCluster cluster) {
        this.cluster = cluster;
        this.admin = cluster.admin();
    }

    @BeforeAll
    static void startMpiOperator(RealCluster cluster) throws InterruptedException {
        Assumptions.assumeTrue(MpiOperator.directory().isPresent(), "no MPI Operator: run \"make setup\" as root");
        MpiOperator.start(cluster);
    }

    @AfterEach
    void deleteJobs() {
        jobs().delete();
        Awaitility.await()
                .atMost(LIMIT)
                .until(() -> admin.pods()
                        .inNamespace(DirectJob.NAMESPACE)
                        .withLabel("training.kubeflow.org/operator-name", "mpi-operator")
                        .list()
                        .getItems()
                        .isEmpty());
    }

    private NonNamespaceOperation<
                    GenericKubernetesResource, GenericKubernetesResourceList, Resource<GenericKubernetesResource>>
            jobs() {
        return admin.genericKubernetesResources(MpiOperator.JOB).inNamespace(DirectJob.NAMESPACE);
    }

    private void create(String name, int workers, String workerAnnotation, String workerCommand) {
        create(name, workers, false, workerAnnotation, workerCommand);
    }

    private void create(
            String name, int workers, boolean launcherIsWorker, String workerAnnotation, String workerCommand) {
        int pods = workers + (launcherIsWorker ? 1 : 0);
        String[] launcher = {"mpirun", "--allow-run-as-root", "-n", Integer.toString(2 * pods), "sh", "-c", TELL};
        create(name, workers, launcherIsWorker, ANNOTATION, workerAnnotation, workerCommand, launcher);
    }

    /** Workers go to the nodes in turn. */
    private void create(
            String name,
            int workers,
            boolean launcherIsWorker,
            String annotation,
            String workerAnnotation,
            String workerCommand,
            String... launcherCommand) {
        String launcher = Stream.of(launcherCommand).map(Serialization::asJson).collect(Collectors.joining(", "));
        jobs().load(new ByteArrayInputStream("""
                apiVersion: kubeflow.org/v2beta1
                kind: MPIJob
                metadata: {name: %1$s, namespace: %2$s}
                spec:
                  slotsPerWorker: 2
                  runLauncherAsWorker: %9$s
                  runPolicy: {cleanPodPolicy: None, backoffLimit: 0}
                  mpiReplicaSpecs:
                    Launcher:
                      replicas: 1
                      restartPolicy: Never
                      template:
                        metadata: {%4$s}
                        spec:
                          containers:
                          - {name: main, image: "%5$s", imagePullPolicy: Never, command: [%6$s]}
                    Worker:
                      replicas: %3$d
                      template:
                        metadata: {%8$s}
                        spec:
                          terminationGracePeriodSeconds: 1
                          topologySpreadConstraints:
                          - maxSkew: 1
                            topologyKey: kubernetes.io/hostname
                            whenUnsatisfiable: DoNotSchedule
                            labelSelector: {matchLabels: {training.kubeflow.org/job-name: %1$s, training.kubeflow.org/job-role: worker}}
                          containers:
                          - {name: main, image: "%5$s", imagePullPolicy: Never%7$s}
                """.formatted(
                                name,
                                DirectJob.NAMESPACE,
                                workers,
                                annotation,
                                ProofImages.SSH,
                                launcher,
                                workerCommand.isEmpty() ? "" : ", command: [sh, -c, \"" + workerCommand + "\"]",
                                workerAnnotation,
                                launcherIsWorker)
                        .getBytes(StandardCharsets.UTF_8)))
                .create();
    }

    private void change(String name, boolean suspended, int workers) {
        eventually(() -> jobs().withName(name).edit(job -> {
            job.<Map<String, Object>>get("spec", "runPolicy").put("suspend", suspended);
            job.<Map<String, Object>>get("spec", "mpiReplicaSpecs", "Worker").put("replicas", workers);
            return job;
        }));
    }

    private String end(String name) {
        try {
            return Awaitility.await().atMost(LIMIT).until(() -> endNow(name), end -> !end.isEmpty());
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("MPIJob " + name + " has not ended; its launcher:\n" + log(name), e);
        }
    }

    /** Empty as long as it has not ended. */
    private String endNow(String name) {
        Map<String, Object> status = jobs().withName(name).require().get("status");
        if (status != null && status.get("conditions") instanceof List<?> conditions) {
            for (Object each : conditions) {
                if (each instanceof Map<?, ?> condition
                        && "True".equals(condition.get("status"))
                        && List.of("Succeeded", "Failed").contains(condition.get("type"))) {
                    return String.valueOf(condition.get("type"));
                }
            }
        }
        return "";
    }

    private List<Pod> pods(String name, String role) {
        return MpiOperator.pods(admin, DirectJob.NAMESPACE, name, role);
    }

    private String log(String name) {
        List<Pod> launchers = pods(name, "launcher");
        assertThat(launchers)
                .as("pods of the launcher's first and only attempt")
                .hasSize(1);
        return admin.pods()
                .inNamespace(DirectJob.NAMESPACE)
                .withName(launchers.getFirst().getMetadata().getName())
                .getLog();
    }

    private boolean launcherRuns(String name) {
        return pods(name, "launcher").stream().anyMatch(Readiness::isPodReady);
    }

    private static Map<Integer, Rank> ranks(String log) {
        Map<Integer, Rank> ranks = new TreeMap<>();
        Matcher line = RANK.matcher(log);
        while (line.find()) {
            ranks.put(
                    Integer.valueOf(line.group(1)),
                    new Rank(Integer.parseInt(line.group(2)), line.group(3), line.group(4)));
        }
        return ranks;
    }

    private String cards(Pod pod) {
        return cluster.fabrics().host(pod.getSpec().getNodeName()).adapters().stream()
                .map(placed -> placed.osName() + ":1")
                .sorted()
                .collect(Collectors.joining(","));
    }

    @Test
    void openMpi5RunsInEveryWorkerAndRanksHaveTheDevicesOfTheirNode() {
        create("spread", 3, ANNOTATION, "");
        assertThat(end("spread")).as(() -> log("spread")).isEqualTo("Succeeded");

        Map<Integer, Rank> ranks = ranks(log("spread"));
        assertThat(ranks.keySet())
                .as(log("spread"))
                .containsExactlyElementsOf(IntStream.range(0, 6).boxed().toList());
        for (Pod worker : pods("spread", "worker")) {
            String pod = worker.getMetadata().getName();
            assertThat(ranks.values())
                    .filteredOn(rank -> rank.pod().equals(pod))
                    .hasSize(2)
                    .allSatisfy(rank -> {
                        assertThat(rank.size()).isEqualTo(6);
                        assertThat(rank.devices().split(",")).hasSize(NodeFabrics.CARDS);
                        assertThat(List.of(rank.devices().split(",")))
                                .containsExactlyInAnyOrder(cards(worker).split(","));
                    });
            assertThat(log("spread"))
                    .as("place.json")
                    .contains("{\"schemaVersion\":1,\"pod\":\"" + pod + "\",\"node\":\""
                            + worker.getSpec().getNodeName()
                            + "\",\"fabrics\":[{\"name\":\"infiniband-0\",\"kind\":\"");
        }
    }

    /** Workers go to the nodes in turn, so that by index neighbouring ranks were on different nodes. */
    @Test
    void ranksThatAreStartedBySshFollowTheFabric() {
        String byTopology = ANNOTATION.replace("}", ", fabric-operator.dev/rank-order: topology}");
        create(
                "near",
                4,
                false,
                byTopology,
                ANNOTATION,
                "",
                "mpirun",
                "--allow-run-as-root",
                "-n",
                "8",
                "sh",
                "-c",
                TELL);
        assertThat(end("near")).as(() -> log("near")).isEqualTo("Succeeded");

        Map<String, String> nodes = pods("near", "worker").stream()
                .collect(Collectors.toMap(
                        pod -> pod.getMetadata().getName(), pod -> pod.getSpec().getNodeName()));
        List<String> nodeOfRank = ranks(log("near")).values().stream()
                .map(rank -> nodes.get(rank.pod()))
                .toList();
        assertThat(nodeOfRank).as(log("near")).hasSize(8);
        long changes = IntStream.range(1, 8)
                .filter(rank -> !nodeOfRank.get(rank).equals(nodeOfRank.get(rank - 1)))
                .count();
        assertThat(changes)
                .as("between ranks of different nodes, %s", nodeOfRank)
                .isEqualTo(nodeOfRank.stream().distinct().count() - 1);
        assertThat(nodeOfRank.stream().distinct().count()).isGreaterThan(1);
    }

    @Test
    void theLauncherStartsWhenItsWorkersAnswer() {
        create("late", 2, ANNOTATION, "until [ -e /answers ]; do sleep 0.1; done; exec /usr/sbin/sshd -De");
        Awaitility.await()
                .atMost(LIMIT)
                .until(() -> launcherRuns("late") && log("late").contains("waiting for workers"));
        eventually(() -> assertThat(pods("late", "worker")).hasSize(2).allSatisfy(pod -> {
            HostProcesses.makeFile(
                    pod.getStatus().getContainerStatuses().getFirst().getContainerID(), "answers");
        }));
        assertThat(end("late")).as(() -> log("late")).isEqualTo("Succeeded");
        assertThat(ranks(log("late"))).hasSize(4);
        assertThat(log("late")).contains("fabric-launcher: waiting for workers: late-worker-0.late");
    }

    @Test
    void theLauncherCanBeAWorkerToo() {
        create("both", 2, true, ANNOTATION, "");
        assertThat(end("both")).as(() -> log("both")).isEqualTo("Succeeded");
        assertThat(ranks(log("both")).values())
                .as(log("both"))
                .hasSize(6)
                .extracting(Rank::pod)
                .containsExactlyInAnyOrder(
                        "both-launcher",
                        "both-launcher",
                        "both-worker-0",
                        "both-worker-0",
                        "both-worker-1",
                        "both-worker-1");
    }

    /** The worker has no file of variables and no launcher: the daemon is started as always. */
    @Test
    void workersThatAskForNothingAreReachedAllTheSame() {
        create("plain", 1, "", "");
        assertThat(end("plain")).as(() -> log("plain")).isEqualTo("Succeeded");
        assertThat(ranks(log("plain"))).hasSize(2);
    }

    /** No sshd runs in these workers. */
    @Test
    void aDirectLaunchRunsEveryMpirunOfAScriptWithoutSsh() {
        create("direct", 2, false, DIRECT, DIRECT, "trap exit TERM; sleep 600 & wait", "sh", "-c", """
                mpirun -n 4 mpi-proof 2; echo first $?; \
                mpirun --tag-output -N 1 sh -c 'echo with $UCX_NET_DEVICES in $(hostname)'; echo second $?; \
                seq 1 1000 | /usr/bin/env mpiexec -np 1 cat | tail -n 1; \
                mpirun -n 2 sh -c 'if [ $OMPI_COMM_WORLD_RANK = 1 ]; then kill -9 $$$$; fi; sleep 600'; echo third $?; \
                mpirun -n 9 true; echo fourth $?; \
                mpirun -n 2 --bind-to core sh -c 'echo bound to $(sed -n s/Cpus_allowed_list:.//p /proc/self/status)'; \
                exec mpirun -x OF_MINE=value -n 4 sh -c 'echo $OF_MINE; exit 5'""");
        assertThat(end("direct")).as(() -> log("direct")).isEqualTo("Failed");

        String log = log("direct");
        assertThat(log.lines())
                .as(log)
                .contains(
                        "proof: ring ok, collectives ok, 4 ranks on 2 nodes",
                        "first 0",
                        "second 0",
                        "1000",
                        "third 137")
                .contains("fourth 125", "value");
        assertThat(log).contains("there are not enough slots available: mpirun asks for 9 ranks");
        if (Runtime.getRuntime().availableProcessors() > 1) {
            assertThat(log.lines().filter(line -> line.contains("bound to ")).distinct())
                    .as(log)
                    .hasSize(2);
        }
        for (Pod worker : pods("direct", "worker")) {
            // The pod itself can open none of the node's cards.
            assertThat(log.lines())
                    .as(log)
                    .anySatisfy(line -> assertThat(line)
                            .endsWith("with eth0 in " + worker.getMetadata().getName()));
        }
        Awaitility.await()
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(admin.resources(FabricJob.class)
                                .inNamespace(DirectJob.NAMESPACE)
                                .withName("direct")
                                .require()
                                .getStatus()
                                .phase())
                        .isEqualTo(JobPhase.Failed));
        int code = pods("direct", "launcher")
                .getFirst()
                .getStatus()
                .getContainerStatuses()
                .getFirst()
                .getState()
                .getTerminated()
                .getExitCode();
        assertThat(code).isEqualTo(5);
    }

    @Test
    void whatADirectLaunchDoesNotUnderstandIsLeftToTheImagesOwnMpirun() {
        create(
                "own",
                2,
                false,
                DIRECT,
                DIRECT,
                "",
                "mpirun",
                "--allow-run-as-root",
                "--display",
                "map",
                "-n",
                "4",
                "sh",
                "-c",
                TELL);
        assertThat(end("own")).as(() -> log("own")).isEqualTo("Succeeded");
        assertThat(ranks(log("own"))).hasSize(4);
        assertThat(log("own")).contains("the image's own mpirun runs it");
    }

    /** As examples/v2beta1/pi/pi.yaml of the MPI Operator has it, but for the image's name and the annotations. */
    @ParameterizedTest
    @ValueSource(strings = {"env", "direct"})
    void theMpiOperatorsOwnExampleNeedsItsAnnotationAlone(String launch) {
        String name = "pi-" + launch;
        jobs().load(new ByteArrayInputStream("""
                apiVersion: kubeflow.org/v2beta1
                kind: MPIJob
                metadata: {name: %1$s, namespace: %2$s}
                spec:
                  slotsPerWorker: 1
                  runPolicy: {cleanPodPolicy: Running, ttlSecondsAfterFinished: 60}
                  sshAuthMountPath: /home/mpiuser/.ssh
                  mpiReplicaSpecs:
                    Launcher:
                      replicas: 1
                      template:
                        metadata: {annotations: {fabric-operator.dev/launch: %3$s}}
                        spec:
                          containers:
                          - name: mpi-launcher
                            image: %4$s
                            imagePullPolicy: Never
                            securityContext: {runAsUser: 1000}
                            command: [mpirun]
                            args: [-n, "2", /home/mpiuser/pi]
                            resources: {limits: {cpu: 1, memory: 1Gi}}
                    Worker:
                      replicas: 2
                      template:
                        metadata: {annotations: {fabric-operator.dev/launch: %3$s}}
                        spec:
                          containers:
                          - name: mpi-worker
                            image: %4$s
                            imagePullPolicy: Never
                            securityContext: {runAsUser: 1000}
                            command: [/usr/sbin/sshd]
                            args: [-De, -f, /home/mpiuser/.sshd_config]
                            resources: {limits: {cpu: 1, memory: 1Gi}}
                """.formatted(name, DirectJob.NAMESPACE, launch, ProofImages.PI)
                        .getBytes(StandardCharsets.UTF_8)))
                .create();
        assertThat(end(name)).as(() -> log(name)).isEqualTo("Succeeded");
        assertThat(log(name))
                .contains("pi is approximately 3.14159265 by 2 ranks on 2 hosts")
                .doesNotContain("image's own mpirun");
    }

    @Test
    void anMpiJobThatIsResumedWithMoreWorkersRunsInAllOfThem() {
        create("paused", 1, false, ANNOTATION, ANNOTATION, "", "sh", "-c", """
                [ "$(grep -c slots /etc/mpi/hostfile)" = 2 ] || { trap "exit 1" TERM; sleep 600 & wait; }
                mpirun --allow-run-as-root -n 4 sh -c '%s'""".formatted(TELL));
        Awaitility.await().atMost(LIMIT).until(() -> launcherRuns("paused"));
        change("paused", true, 1);
        Awaitility.await()
                .atMost(LIMIT)
                .until(() -> pods("paused", "worker").isEmpty()
                        && pods("paused", "launcher").isEmpty());
        change("paused", false, 2);
        assertThat(end("paused")).as(() -> log("paused")).isEqualTo("Succeeded");
        assertThat(ranks(log("paused"))).hasSize(4);
    }

    @Test
    void aDirectLaunchThatIsSuspendedWhileItRunsBeginsAnewWhenItIsResumed() {
        create("stopped", 1, false, DIRECT, DIRECT, "", "sh", "-c", """
                [ "$(grep -c slots /etc/mpi/hostfile)" = 2 ] || exec mpirun -n 2 sh -c 'echo waits; sleep 600'
                exec mpirun -n 4 mpi-proof 2""");
        Awaitility.await()
                .atMost(LIMIT)
                .until(() -> launcherRuns("stopped") && log("stopped").contains("waits"));
        change("stopped", true, 1);
        Awaitility.await()
                .atMost(LIMIT)
                .until(() -> pods("stopped", "worker").isEmpty()
                        && pods("stopped", "launcher").isEmpty());
        change("stopped", false, 2);
        assertThat(end("stopped")).as(() -> log("stopped")).isEqualTo("Succeeded");
        assertThat(log("stopped")).contains("proof: ring ok, collectives ok, 4 ranks on 2 nodes");
    }

    /** The kubelet looks at a ConfigMap's files about once a minute, and when the pod changes. */
    @Test
    void mpirunReachesWorkersThatTheMpiJobIsGivenWhileItRuns() {
        create("grows", 1, false, ANNOTATION, ANNOTATION, "", "sh", "-c", """
                mpirun --allow-run-as-root -n 2 sh -c '%1$s'
                until [ "$(sh /etc/mpi/discover_hosts.sh | wc -l)" = 2 ] && getent hosts grows-worker-1.grows; do sleep 0.2; done
                mpirun --allow-run-as-root -n 4 sh -c '%1$s'""".formatted(TELL));
        Awaitility.await()
                .atMost(LIMIT)
                .until(() -> launcherRuns("grows") && log("grows").contains("of 2"));
        change("grows", false, 2);
        String launcher = pods("grows", "launcher").getFirst().getMetadata().getName();
        Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofSeconds(1)).until(() -> {
            admin.pods()
                    .inNamespace(DirectJob.NAMESPACE)
                    .withName(launcher)
                    .patch(
                            PatchContext.of(PatchType.JSON_MERGE),
                            "{\"metadata\": {\"annotations\": {\"looked-at\": \"" + Instant.now() + "\"}}}");
            return log("grows").contains("of 4");
        });
        assertThat(end("grows")).as(() -> log("grows")).isEqualTo("Succeeded");
        assertThat(ranks(log("grows")).values())
                .as(log("grows"))
                .extracting(Rank::pod)
                .containsExactlyInAnyOrder("grows-worker-0", "grows-worker-0", "grows-worker-1", "grows-worker-1");
    }
}
