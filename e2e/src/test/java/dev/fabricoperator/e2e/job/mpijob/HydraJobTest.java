/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.mpijob;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.job.DirectJob;
import dev.fabricoperator.e2e.job.HydraImages;
import dev.fabricoperator.e2e.job.MpiOperator;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.node.RealCluster;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** MPIJobs of MPICH and Intel MPI, as PyPI has them, with the real MPI Operator: by ssh, and by direct launch. */
@OnRealNodes
class HydraJobTest {
    /** UCX, by which MPICH speaks, would wait for cards of the nodes, which are played. */
    private static final String NOT_PLAYED = "{name: UCX_NET_DEVICES, value: all}";

    private final KubernetesClient admin;

    HydraJobTest(RealCluster cluster) {
        this.admin = cluster.admin();
    }

    @BeforeAll
    static void startMpiOperator(RealCluster cluster, @TempDir Path directory) throws InterruptedException {
        Assumptions.assumeTrue(MpiOperator.directory().isPresent(), "no MPI Operator: run \"make setup\" as root");
        Path wheels = HydraImages.wheels().orElse(null);
        Assumptions.assumeTrue(wheels != null, "no MPICH and Intel MPI of PyPI: scripts/setup.sh mpi-wheels");
        if (wheels != null) {
            cluster.importImages(HydraImages.write(directory, cluster.programs(), wheels));
        }
        MpiOperator.start(cluster);
    }

    private NonNamespaceOperation<
                    GenericKubernetesResource, GenericKubernetesResourceList, Resource<GenericKubernetesResource>>
            jobs() {
        return admin.genericKubernetesResources(MpiOperator.JOB).inNamespace(DirectJob.NAMESPACE);
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

    /** Two workers with two slots each, on two nodes. */
    private void create(String name, HydraImages mpi, String launch, String... launcherCommand) {
        String command = Stream.of(launcherCommand).map(Serialization::asJson).collect(Collectors.joining(", "));
        jobs().load(new ByteArrayInputStream("""
                apiVersion: kubeflow.org/v2beta1
                kind: MPIJob
                metadata: {name: %1$s, namespace: %2$s}
                spec:
                  slotsPerWorker: 2
                  mpiImplementation: %3$s
                  runPolicy: {cleanPodPolicy: None, backoffLimit: 0}
                  mpiReplicaSpecs:
                    Launcher:
                      replicas: 1
                      restartPolicy: Never
                      template:
                        metadata: {annotations: {fabric-operator.dev/launch: %4$s}}
                        spec:
                          containers:
                          - {name: main, image: "%5$s", imagePullPolicy: Never, command: [%6$s], env: [%7$s]}
                    Worker:
                      replicas: 2
                      template:
                        metadata: {annotations: {fabric-operator.dev/launch: %4$s}}
                        spec:
                          terminationGracePeriodSeconds: 1
                          topologySpreadConstraints:
                          - maxSkew: 1
                            topologyKey: kubernetes.io/hostname
                            whenUnsatisfiable: DoNotSchedule
                            labelSelector: {matchLabels: {training.kubeflow.org/job-name: %1$s, training.kubeflow.org/job-role: worker}}
                          containers:
                          - {name: main, image: "%5$s", imagePullPolicy: Never, env: [%7$s], volumeMounts: [{name: shm, mountPath: /dev/shm}]}
                          volumes: [{name: shm, emptyDir: {medium: Memory}}]
                """.formatted(
                                name,
                                DirectJob.NAMESPACE,
                                mpi.implementation(),
                                launch,
                                mpi.image(),
                                command,
                                NOT_PLAYED)
                        .getBytes(StandardCharsets.UTF_8)))
                .create();
    }

    /** The launcher's pod, once it has ended. */
    private Pod ended(String name) {
        try {
            return Awaitility.await()
                    .atMost(LIMIT)
                    .until(
                            () -> MpiOperator.pods(admin, DirectJob.NAMESPACE, name, "launcher").stream()
                                    .filter(pod -> List.of("Succeeded", "Failed")
                                            .contains(pod.getStatus().getPhase()))
                                    .toList(),
                            pods -> !pods.isEmpty())
                    .getFirst();
        } catch (ConditionTimeoutException e) {
            String all = MpiOperator.pods(admin, DirectJob.NAMESPACE, name, "launcher").stream()
                    .map(pod -> pod.getStatus().getPhase() + ' ' + log(pod))
                    .collect(Collectors.joining("\n"));
            throw new AssertionError("MPIJob " + name + " has not ended; its launcher:\n" + all, e);
        }
    }

    private String log(Pod pod) {
        return admin.pods()
                .inNamespace(DirectJob.NAMESPACE)
                .withName(pod.getMetadata().getName())
                .getLog();
    }

    private static int code(Pod pod) {
        return pod.getStatus()
                .getContainerStatuses()
                .getFirst()
                .getState()
                .getTerminated()
                .getExitCode();
    }

    @ParameterizedTest
    @CsvSource({"MPICH, env", "INTEL, env", "MPICH, direct", "INTEL, direct"})
    void ranksRunInAllWorkersAndFindEachOther(HydraImages mpi, String launch) {
        String name = mpi.prefix() + "-" + launch;
        create(name, mpi, launch, "mpirun", "-n", "4", "mpi-proof", "2");

        Pod launcher = ended(name);

        assertThat(log(launcher)).contains("ring ok, collectives ok, 4 ranks on 2 nodes");
        assertThat(code(launcher)).isZero();
    }

    /** Without ssh: there is no session, and the ranks have what mpirun's environment and the worker's container have. */
    @ParameterizedTest
    @EnumSource(HydraImages.class)
    void aScriptCallsMpirunAsOftenAsItLikesAndEndsWithTheCodeOfMpiAbort(HydraImages mpi) {
        String name = mpi.prefix() + "-script";
        create(name, mpi, "direct", "sh", "-c", """
                export OF_THE_SCRIPT=here
                mpiexec.hydra -n 4 -ppn 2 -genv OF_THE_CALL there sh -c 'echo rank $PMI_RANK of $PMI_SIZE: $OF_THE_SCRIPT $OF_THE_CALL ${SSH_CONNECTION:-without ssh}'
                mpiexec -n 2 -ppn 1 mpi-proof 1 || exit 1
                mpirun -n 4 mpi-ends waiting abort:7 3
                """);

        Pod launcher = ended(name);

        assertThat(log(launcher).lines())
                .contains("rank 0 of 4: here there without ssh", "rank 3 of 4: here there without ssh")
                .anyMatch(line -> line.contains("ring ok, collectives ok, 2 ranks on 2 nodes"))
                .anyMatch(line -> line.contains("rank 3 aborted with status 7"));
        assertThat(code(launcher)).isEqualTo(7);
    }
}
