/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.admission;

import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ServerProcess;
import dev.fabricoperator.e2e.job.MpiOperator;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * MPIJobs that are changed while they are suspended, with the real MPI Operator: it makes the Job of the launcher when it first sees the MPIJob, and workers when that is resumed. The kubelets' part is
 * nobody's.
 */
@WithControlPlane(own = true, needs = Component.CONTROLLER_MANAGER)
@ResourceLock(MpiOperator.LOCK)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SuspendedMpiJobsTest {
    private static final String NAMESPACE = "paused";
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    @TempDir
    static Path directory;

    private AdmissionCase admission;
    private ServerProcess mpiOperator;

    @BeforeAll
    void start(ControlPlane cluster) throws InterruptedException {
        MpiOperator.obstacle().ifPresent(reason -> Assumptions.abort(reason));
        mpiOperator = MpiOperator.start(cluster, directory);
        admission = new AdmissionCase(cluster, directory, NAMESPACE);
        admission.startController();
        admission.startServer();
        admission.awaitWebhooks();
    }

    @AfterAll
    void stop() throws Exception {
        if (admission != null) {
            admission.close();
        }
        if (mpiOperator != null) {
            mpiOperator.kill();
        }
    }

    /** Of a template, or of a patch that takes away what the template has. */
    private static String annotations(String launch) {
        return "{\"fabric-operator.dev/launch\": " + (launch.equals("none") ? "null" : "\"" + launch + "\"") + "}";
    }

    private void createSuspended(String name, String launch) {
        admission
                .admin
                .genericKubernetesResources(MpiOperator.JOB)
                .inNamespace(NAMESPACE)
                .load(new ByteArrayInputStream(
                        """
                        apiVersion: kubeflow.org/v2beta1
                        kind: MPIJob
                        metadata: {name: %1$s, namespace: %2$s}
                        spec:
                          slotsPerWorker: 64
                          runPolicy: {suspend: true}
                          mpiReplicaSpecs:
                            Launcher:
                              replicas: 1
                              template:
                                metadata: {annotations: %3$s}
                                spec: {containers: [{name: main, image: pi, command: [mpirun, /pi]}]}
                            Worker:
                              replicas: 1
                              template:
                                metadata: {annotations: %3$s}
                                spec: {containers: [{name: main, image: pi}]}
                        """.formatted(name, NAMESPACE, launch.equals("none") ? "{}" : annotations(launch))
                                .getBytes(StandardCharsets.UTF_8)))
                .create();
        eventually(() -> assertThat(admission
                        .admin
                        .batch()
                        .v1()
                        .jobs()
                        .inNamespace(NAMESPACE)
                        .withName(name + "-launcher")
                        .get())
                .isNotNull());
    }

    private void patch(String name, String spec) {
        admission
                .admin
                .genericKubernetesResources(MpiOperator.JOB)
                .inNamespace(NAMESPACE)
                .withName(name)
                .patch(MERGE, "{\"spec\": " + spec + "}");
    }

    private List<Pod> awaitPods(String name, String role, int count) {
        eventually(() -> assertThat(pods(name, role)).hasSize(count));
        return pods(name, role);
    }

    private List<Pod> pods(String name, String role) {
        return MpiOperator.pods(admission.admin, NAMESPACE, name, role);
    }

    private static List<String> command(Pod pod) {
        return pod.getSpec().getContainers().getFirst().getCommand();
    }

    /** The size of the PMIx server's heap, which all pods of a job must have. */
    private static String heap(Pod pod) {
        List<String> command = command(pod);
        return command.get(command.indexOf("--heap") + 1);
    }

    @ParameterizedTest
    @CsvSource({"direct, none", "none, direct", "direct, env", "env, direct", "none, env", "env, none"})
    void theLauncherIsLaunchedAsItsMpiJobAsksWhenItIsResumed(String before, String after) {
        String name = before + "-" + after;
        createSuspended(name, before);

        patch(name, """
                {"runPolicy": {"suspend": false}, "mpiReplicaSpecs": {
                 "Launcher": {"template": {"metadata": {"annotations": %1$s}}},
                 "Worker": {"replicas": 10, "template": {"metadata": {"annotations": %1$s}}}}}""".formatted(annotations(after)));

        Pod launcher = awaitPods(name, "launcher", 1).getFirst();
        Pod worker = awaitPods(name, "worker", 10).getFirst();
        switch (after) {
            case "direct" -> {
                assertThat(command(launcher)).startsWith(LaunchApi.IMAGE_VOLUME_LAUNCHER, "--with-mpirun");
                assertThat(command(worker)).startsWith(LaunchApi.IMAGE_VOLUME_LAUNCHER, "--serve-runs", "64");
                assertThat(heap(launcher)).as("of 640 ranks").isEqualTo("29").isEqualTo(heap(worker));
            }
            case "env" -> {
                assertThat(command(launcher)).startsWith(LaunchApi.IMAGE_VOLUME_LAUNCHER, "--await-hosts");
                assertThat(command(worker)).startsWith(LaunchApi.IMAGE_VOLUME_LAUNCHER, "--keep-environment");
            }
            default -> {
                assertThat(command(launcher)).containsExactly("mpirun", "/pi");
                assertThat(command(worker)).startsWith("/usr/sbin/sshd");
                assertThat(launcher.getMetadata().getAnnotations()).doesNotContainKey(LaunchApi.LAUNCH);
            }
        }
    }

    /** The template of a Job cannot be changed, and the MPI Operator leaves it as it is. */
    @Test
    void theLauncherSaysThatItsCommandIsThatOfBeforeAndThatOfNowComesWithAnotherJob() {
        createSuspended("command", "direct");
        String launcher = """
                {"runPolicy": {"suspend": %s}, "mpiReplicaSpecs": {
                 "Launcher": {"template": {"spec": {"containers": [{"name": "main", "image": "pi", "command": ["mpirun", "/better-pi"]}]}}}}}""";
        patch("command", launcher.formatted(false));
        Pod old = awaitPods("command", "launcher", 1).getFirst();
        assertThat(command(old)).endsWith("mpirun", "/pi");
        assertThat(old.getMetadata().getAnnotations().get(LaunchApi.WARNINGS))
                .contains("MPIJob command has another command for its launcher by now")
                .contains("delete the Job command-launcher");

        patch("command", launcher.formatted(true));
        admission
                .admin
                .batch()
                .v1()
                .jobs()
                .inNamespace(NAMESPACE)
                .withName("command-launcher")
                .delete();
        patch("command", launcher.formatted(false));

        eventually(() -> assertThat(pods("command", "launcher"))
                .filteredOn(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .singleElement()
                .satisfies(pod -> {
                    assertThat(command(pod)).endsWith("mpirun", "/better-pi");
                    assertThat(pod.getMetadata().getAnnotations()).doesNotContainKey(LaunchApi.WARNINGS);
                }));
    }
}
