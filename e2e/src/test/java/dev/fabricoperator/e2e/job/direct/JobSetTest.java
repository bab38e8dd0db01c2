/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.job.direct.FaultCase.RANKS;
import static dev.fabricoperator.e2e.job.direct.FaultCase.soon;
import static dev.fabricoperator.e2e.job.direct.FaultCase.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.job.JobController;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.junit.OnRealNodes;
import dev.fabricoperator.e2e.node.HostCommand;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** JobSets as their own controller and webhooks make their pods, on real nodes. */
@OnRealNodes
@ExtendWith(LaunchClusterExtension.class)
class JobSetTest {
    private static @Nullable JobController controller;

    private final FaultCase faults;

    JobSetTest(FaultCase faults) {
        this.faults = faults;
    }

    @BeforeAll
    static void startController(FaultCase faults, @TempDir Path work) {
        controller = JobController.start(JobController.Program.JOB_SET, faults.cluster, work, faults.namespace)
                .orElse(null);
        Assumptions.assumeTrue(controller != null, "no JobSet controller: run \"make setup\"");
    }

    @AfterAll
    static void stopController() {
        if (controller != null) {
            controller.close();
        }
    }

    private static String replicated(String name, int replicas, int pods, int ranksPerPod, String annotation) {
        return """
                  - name: %1$s
                    replicas: %2$d
                    template:
                      spec:
                        completions: %3$d
                        parallelism: %3$d
                        backoffLimit: 2
                        template:
                          metadata:
                            annotations:
                              %6$s
                              fabric-operator.dev/ranks-per-pod: "%4$d"
                          spec:
                            automountServiceAccountToken: false
                            terminationGracePeriodSeconds: 1
                            restartPolicy: Never
                            containers:
                            - name: ranks
                              image: %5$s
                              imagePullPolicy: Never
                              command: [sh, -c, "pmix-report | grep -E 'napps|app.size|appnum|apprank'; exec mpi-clock"]
                              env: [{name: OMPI_MCA_mpi_yield_when_idle, value: "1"}]
                """.formatted(name, replicas, pods, ranksPerPod, ProofImages.PLAIN, annotation);
    }

    private void create(String name, String... replicatedJobs) {
        String manifest = """
                apiVersion: jobset.x-k8s.io/v1alpha2
                kind: JobSet
                metadata: {name: %s}
                spec:
                  replicatedJobs:
                """.formatted(name) + String.join("", replicatedJobs);
        // Its webhooks listen a moment after its process has started.
        soon().ignoreExceptions()
                .untilAsserted(() -> assertThat(faults.admin
                                .load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8)))
                                .inNamespace(faults.namespace)
                                .create())
                        .hasSize(1));
    }

    private List<Pod> pods(String jobSet) {
        return faults.admin
                .pods()
                .inNamespace(faults.namespace)
                .withLabel("jobset.sigs.k8s.io/jobset-name", jobSet)
                .list()
                .getItems();
    }

    @Test
    void theReplicatedJobsThatAskForADirectLaunchAreTheAppsOfOnePmixJob() {
        String direct = "fabric-operator.dev/launch: direct";
        create("apps", replicated("driver", 1, 1, 2, direct), replicated("worker", 2, 1, 1, direct));

        faults.kubectl.run(
                "-n", faults.namespace, "wait", "--for=condition=Completed", "--timeout=240s", "jobset/apps");

        FabricJobStatus told = faults.awaitPhase("apps", JobPhase.Succeeded);
        assertThat(told.size()).isEqualTo(4);
        assertThat(told.attempt()).isZero();
        List<Pod> pods = pods("apps");
        assertThat(pods).hasSize(3);
        StringBuilder output = new StringBuilder();
        for (Pod pod : pods) {
            assertThat(status(pod, RANKS).getState().getTerminated().getExitCode())
                    .isZero();
            output.append(faults.log(pod, RANKS));
        }
        assertThat(output.toString()).contains("clock rank=0 size=4", "clock rank=3 size=4");
    }

    private Pod pod(String prefix) {
        List<Pod> found = new ArrayList<>();
        soon().until(() -> {
            found.clear();
            pods("index").stream()
                    .filter(pod -> pod.getMetadata().getName().startsWith(prefix))
                    .forEach(found::add);
            return !found.isEmpty();
        });
        return found.getFirst();
    }

    /** The Job goes on with its other index, and the JobSet with that Job: they would wait for one another until the time of assembly is over. */
    @Test
    void podsThatWaitForAnIndexOfOneOfItsJobsThatHasFailedForGoodAreToldAndTheJobSetEnds() {
        String direct = "fabric-operator.dev/launch: direct";
        String steady = "command: [mpi-steady, \"1000\", \"0\"]";
        create(
                "index",
                replicated("driver", 1, 1, 1, direct).replaceAll("command:.*", steady),
                replicated("worker", 1, 2, 1, direct)
                        .replaceAll("command:.*", steady)
                        .replace("backoffLimit: 2", "backoffLimitPerIndex: 0"));
        Pod waits = pod("index-worker-0-0-");
        Pod dies = pod("index-worker-0-1-");
        faults.awaitLog(dies, RANKS, "rank 2 of 3 begins");

        faults.kill(dies, RANKS);

        String told = "Job index-worker-0 makes no pod again of index 1 (status.failedIndexes)";
        faults.awaitLog(waits, RANKS, told);
        faults.kubectl.run("-n", faults.namespace, "wait", "--for=condition=Failed", "--timeout=240s", "jobset/index");
        assertThat(faults.awaitPhase("index", JobPhase.Failed).conditions()).anySatisfy(condition -> {
            assertThat(condition.type()).isEqualTo("Finished");
            assertThat(condition.message()).contains(told);
        });
    }

    /** As Kubeflow Trainer 2.0.0 makes it of a TrainJob of two nodes with the runtime mpi-distributed; Trainer itself runs in TrainerTest. */
    @Test
    void theMpiRuntimeOfATrainJobNeedsItsAnnotationAlone(@TempDir Path keys) throws IOException {
        HostCommand.run(
                "ssh-keygen",
                "-q",
                "-t",
                "ecdsa",
                "-N",
                "",
                "-f",
                keys.resolve("key").toString());
        faults.admin
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("train-mpi-ssh-auth")
                        .withNamespace(faults.namespace)
                        .endMetadata()
                        .addToStringData("ssh-privatekey", Files.readString(keys.resolve("key")))
                        .addToStringData("ssh-publickey", Files.readString(keys.resolve("key.pub")))
                        .build())
                .create();
        faults.admin
                .resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("train-mpi-hostfile")
                        .withNamespace(faults.namespace)
                        .endMetadata()
                        .addToData("hostfile", "train-launcher-0-0.train slots=1\ntrain-node-0-0.train slots=1\n")
                        .build())
                .create();
        create("train", trainer("launcher", """
                        command: [mpirun]
                                      args: [-n, "2", /home/mpiuser/pi]
                                      env:
                                      - {name: OMPI_MCA_orte_default_hostfile, value: /etc/mpi/hostfile}
                                      - {name: OMPI_MCA_orte_keep_fqdn_hostnames, value: "true"}
                                      - {name: OMPI_MCA_orte_set_default_slots, value: "1"}
                                      - {name: OMPI_MCA_plm_rsh_args, value: -o ConnectionAttempts=10}"""), trainer("node", """
                        command: [/usr/sbin/sshd]
                                      args: [-De, -f, /home/mpiuser/.sshd_config]"""), """
                  network: {enableDNSHostnames: true, subdomain: train, publishNotReadyAddresses: true}
                  successPolicy: {operator: All, targetReplicatedJobs: [launcher]}
                """);

        faults.kubectl.run(
                "-n", faults.namespace, "wait", "--for=condition=Completed", "--timeout=240s", "jobset/train");

        Pod launcher = pods("train").stream()
                .filter(pod -> pod.getMetadata().getName().startsWith("train-launcher"))
                .findFirst()
                .orElseThrow();
        assertThat(faults.admin
                        .pods()
                        .inNamespace(faults.namespace)
                        .withName(launcher.getMetadata().getName())
                        .getLog())
                .contains("pi is approximately 3.14159265 by 2 ranks on 2 hosts");
    }

    private static String trainer(String name, String command) {
        return """
                  - name: %1$s
                    replicas: 1
                    template:
                      spec:
                        completions: 1
                        parallelism: 1
                        template:
                          metadata: {annotations: {fabric-operator.dev/launch: env}}
                          spec:
                            terminationGracePeriodSeconds: 1
                            containers:
                            - name: node
                              image: %2$s
                              imagePullPolicy: Never
                              securityContext: {runAsUser: 1000}
                              %3$s
                              volumeMounts:
                              - {name: ssh-auth, mountPath: /home/mpiuser/.ssh}
                              - {name: hostfile, mountPath: /etc/mpi}
                            volumes:
                            - name: hostfile
                              configMap: {name: train-mpi-hostfile}
                            - name: ssh-auth
                              secret:
                                secretName: train-mpi-ssh-auth
                                items:
                                - {key: ssh-privatekey, path: id_rsa}
                                - {key: ssh-publickey, path: id_rsa.pub}
                                - {key: ssh-publickey, path: authorized_keys}
                """.formatted(name, ProofImages.PI, command);
    }
}
