/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.admission;

import static dev.fabricoperator.e2e.job.JobCase.now;
import static dev.fabricoperator.e2e.job.JobCase.report;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.e2e.cluster.Component;
import dev.fabricoperator.e2e.cluster.ControlPlane;
import dev.fabricoperator.e2e.cluster.ProjectRoot;
import dev.fabricoperator.e2e.job.JobCase;
import dev.fabricoperator.e2e.job.JobController;
import dev.fabricoperator.e2e.job.PodSide;
import dev.fabricoperator.e2e.junit.WithControlPlane;
import dev.fabricoperator.e2e.operator.OperatorProcess;
import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** TrainJobs as Kubeflow Trainer's controller makes JobSets of them, and JobSet's controller pods. The kubelets' part is played. */
@WithControlPlane(own = true, needs = Component.CONTROLLER_MANAGER)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TrainerTest {
    private static final String NAMESPACE = "ring";
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
    /** As Trainer's own runtimes with {@code mlPolicy.mpi} are, with our annotation in both pod templates. */
    private static final String MPI_RUNTIME = """
            apiVersion: trainer.kubeflow.org/v1alpha1
            kind: ClusterTrainingRuntime
            metadata: {name: mpi-env, labels: {trainer.kubeflow.org/framework: mpi}}
            spec:
              mlPolicy:
                numNodes: 1
                mpi:
                  numProcPerNode: 2
                  mpiImplementation: OpenMPI
                  sshAuthMountPath: /home/mpiuser/.ssh
                  runLauncherAsNode: true
              template:
                spec:
                  network: {publishNotReadyAddresses: true}
                  successPolicy: {operator: All, targetReplicatedJobs: [launcher]}
                  replicatedJobs:
                    - name: launcher
                      template:
                        metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
                        spec:
                          template:
                            metadata: {annotations: {fabric-operator.dev/launch: env}}
                            spec:
                              containers:
                                - {name: node, image: pi:1, securityContext: {runAsUser: 1000}}
                    - name: node
                      template:
                        spec:
                          template:
                            metadata: {annotations: {fabric-operator.dev/launch: env}}
                            spec:
                              containers:
                                - name: node
                                  image: pi:1
                                  securityContext: {runAsUser: 1000}
                                  command: [/usr/sbin/sshd]
                                  args: [-De, -f, /home/mpiuser/.sshd_config]
            """;

    @TempDir
    static Path directory;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private AdmissionCase admission;
    private JobCase jobs;
    private OperatorProcess service;

    @BeforeAll
    void start(ControlPlane cluster) throws IOException {
        startController(JobController.Program.JOB_SET, cluster);
        startController(JobController.Program.TRAINER, cluster);
        jobs = keep(new JobCase(cluster, Files.createDirectory(directory.resolve("launches"))));
        admission = keep(new AdmissionCase(cluster, directory, NAMESPACE));
        admission.startController();
        admission.startServer();
        service = jobs.startServer(Map.of("FABRIC_OPERATOR_JOBS_HOLD", "1s"));
        admission.awaitWebhooks();
    }

    private void startController(JobController.Program program, ControlPlane cluster) {
        var controller = JobController.start(program, cluster, directory, NAMESPACE);
        Assumptions.assumeTrue(controller.isPresent(), "no " + program + ": run \"make setup\"");
        keep(controller.get());
    }

    private <T extends AutoCloseable> T keep(T each) {
        opened.add(each);
        return each;
    }

    @AfterAll
    void stop() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }

    private void apply(String manifests) {
        // Its webhooks know a runtime a moment after it was written.
        eventually(() -> admission
                .admin
                .load(new ByteArrayInputStream(manifests.getBytes(StandardCharsets.UTF_8)))
                .serverSideApply());
    }

    private static String trainJob(String name, String runtime, String trainer) {
        return """
                apiVersion: trainer.kubeflow.org/v1alpha1
                kind: TrainJob
                metadata: {namespace: %s, name: %s}
                spec:
                  runtimeRef: {name: %s}
                  trainer: %s
                """.formatted(NAMESPACE, name, runtime, trainer);
    }

    /** The pods of a TrainJob by name, as many as there should be. */
    private List<Pod> awaitPods(String job, int count) {
        eventually(() -> assertThat(pods(job)).hasSize(count));
        return pods(job);
    }

    private List<Pod> pods(String job) {
        return admission
                .admin
                .pods()
                .inNamespace(NAMESPACE)
                .withLabel("jobset.sigs.k8s.io/jobset-name", job)
                .list()
                .getItems()
                .stream()
                .sorted(Comparator.comparing(pod -> pod.getMetadata().getName()))
                .toList();
    }

    @Test
    void aTrainJobOfAnMpiRuntimeIsStartedWhenItsNodesAnswerWithWhatOpenMpi5Reads() {
        apply(MPI_RUNTIME);
        apply(trainJob("pi", "mpi-env", "{numNodes: 3, command: [mpirun, /home/mpiuser/pi]}"));
        List<Pod> pods = awaitPods("pi", 3);

        assertWaitsForHosts(pods.getFirst());
        pods.subList(1, 3).forEach(TrainerTest::assertRunsSshd);
        assertThat(pods).allSatisfy(pod -> {
            assertThat(pod.getMetadata().getAnnotations()).doesNotContainKey("fabric-operator.dev/warnings");
            assertThat(AdmissionCase.container(pod, "node").getEnv())
                    .extracting(EnvVar::getName)
                    .contains("UCX_NET_DEVICES", "NCCL_IB_HCA", "FI_EFA_IFACE");
        });
        assertHostsAre("pi", pods);

        tellSuccessOf(pods.getFirst());
        awaitCompletion("pi");
    }

    @Test
    void aLauncherThatRunsNoRanksWaitsForTheNodesAlone() {
        apply(MPI_RUNTIME
                .replace("mpi-env", "mpi-env-apart")
                .replace("runLauncherAsNode: true", "runLauncherAsNode: false"));
        apply(trainJob("apart", "mpi-env-apart", "{numNodes: 2, command: [mpirun, /home/mpiuser/pi]}"));
        List<Pod> pods = awaitPods("apart", 3);

        assertWaitsForHosts(pods.getFirst());
        pods.subList(1, 3).forEach(TrainerTest::assertRunsSshd);
        assertHostsAre("apart", pods.subList(1, 3));
        tellSuccessOf(pods.getFirst());
        awaitCompletion("apart");
    }

    private static void assertWaitsForHosts(Pod pod) {
        Container launcher = AdmissionCase.container(pod, "node");
        assertThat(launcher.getCommand())
                .startsWith(LaunchApi.IMAGE_VOLUME_LAUNCHER, "--await-hosts", "/etc/mpi/hostfile")
                .endsWith("--", "mpirun", "/home/mpiuser/pi");
        assertThat(launcher.getEnv())
                .extracting(EnvVar::getName, EnvVar::getValue)
                .contains(
                        tuple("PRTE_MCA_prte_default_hostfile", "/etc/mpi/hostfile"),
                        tuple("PRTE_MCA_prte_set_default_slots", "2"),
                        tuple("PRTE_MCA_plm_ssh_no_tree_spawn", "1"));
    }

    private static void assertRunsSshd(Pod pod) {
        assertThat(AdmissionCase.container(pod, "node").getCommand())
                .startsWith(LaunchApi.IMAGE_VOLUME_LAUNCHER, "--keep-environment")
                .endsWith("--", "/usr/sbin/sshd", "-De", "-f", "/home/mpiuser/.sshd_config");
    }

    /** What the launcher waits for is where the pods are. */
    private void assertHostsAre(String job, List<Pod> pods) {
        assertThat(admission
                        .admin
                        .configMaps()
                        .inNamespace(NAMESPACE)
                        .withName(job + "-mpi-hostfile")
                        .require()
                        .getData())
                .containsEntry(
                        "hostfile",
                        pods.stream()
                                .map(pod -> pod.getSpec().getHostname() + "."
                                        + pod.getSpec().getSubdomain() + " slots=2\n")
                                .collect(Collectors.joining()));
    }

    @Test
    void aTrainJobThatIsSuspendedAndResumedIsAnotherAttemptOfTheJob() throws Exception {
        String sample = Files.readString(ProjectRoot.find().resolve("config/samples/trainer/runtime.yaml"));
        apply(sample.substring(0, sample.indexOf("---\napiVersion"))
                .replace("ClusterTrainingRuntime", "TrainingRuntime")
                .replace("name: mpi-direct", "name: mpi-direct\n  namespace: " + NAMESPACE));
        apply(trainJob("paused", "mpi-direct, kind: TrainingRuntime", "{numNodes: 2, command: [/usr/local/bin/ring]}"));
        assertThat(joined(awaitPods("paused", 2)).attempt()).isZero();

        suspend("paused", true);
        eventually(() -> {
            // As a kubelet ends what is deleted.
            pods("paused")
                    .forEach(pod ->
                            admission.admin.resource(pod).withGracePeriod(0).delete());
            assertThat(pods("paused")).isEmpty();
        });
        suspend("paused", false);
        List<Pod> resumed = awaitPods("paused", 2);
        JobMap map = joined(resumed);
        assertThat(map.attempt()).isEqualTo(1);
        assertThat(map.size()).isEqualTo(4);

        resumed.forEach(this::tellSuccessOf);
        awaitCompletion("paused");
    }

    private void suspend(String job, boolean suspended) {
        admission
                .admin
                .genericKubernetesResources("trainer.kubeflow.org/v1alpha1", "TrainJob")
                .inNamespace(NAMESPACE)
                .withName(job)
                .patch(MERGE, "{\"spec\": {\"suspend\": %b}}".formatted(suspended));
    }

    /** The map that the pods get, each with two ranks. */
    private JobMap joined(List<Pod> pods) throws Exception {
        List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
        for (int index = 0; index < pods.size(); index++) {
            answers.add(jobs.side(service.jobs(), pods.get(index)).joinUntilAnswered(report(index, 0, -1, 2)));
        }
        JobMap map = null;
        for (var answer : answers) {
            map = PodSide.map(now(answer));
            assertThat(map.pods())
                    .extracting(JobPod::name)
                    .containsExactlyElementsOf(pods.stream()
                            .map(pod -> pod.getMetadata().getName())
                            .toList());
        }
        return Objects.requireNonNull(map);
    }

    @Test
    void aTrainJobOfARuntimeWithoutLauncherIsLaunchedDirectlyAsOneJob() throws Exception {
        apply(Files.readString(ProjectRoot.find().resolve("config/samples/trainer/runtime.yaml")));
        List<Pod> pods = awaitPods("ring", 4);

        assertThat(pods)
                .allSatisfy(
                        pod -> assertThat(AdmissionCase.container(pod, "node").getCommand())
                                .startsWith(LaunchApi.IMAGE_VOLUME_LAUNCHER, "--ranks", "2", "--pmixd")
                                .endsWith("--", "/usr/local/bin/ring"));
        JobMap map = joined(pods);
        assertThat(map.nspace()).startsWith(NAMESPACE + ".ring-");
        assertThat(map.size()).isEqualTo(8);
        // Written behind the answers.
        eventually(() -> assertThat(admission
                        .admin
                        .resources(FabricJob.class)
                        .inNamespace(NAMESPACE)
                        .withName("ring")
                        .require()
                        .getMetadata()
                        .getOwnerReferences())
                .singleElement()
                .satisfies(owner -> assertThat(owner.getKind()).isEqualTo("JobSet")));

        pods.forEach(this::tellSuccessOf);
        awaitCompletion("ring");
    }

    @Test
    void trainersOwnWebhookIsAsked() {
        String without = trainJob("refused", "no-such-runtime", "{numNodes: 2}");
        eventually(() -> assertThatThrownBy(() -> admission
                        .admin
                        .load(new ByteArrayInputStream(without.getBytes(StandardCharsets.UTF_8)))
                        .create())
                .hasMessageContaining("must be created before the TrainJob is created"));
    }

    /** As a kubelet tells it. */
    private void tellSuccessOf(Pod pod) {
        admission.admin.resource(pod).subresource("status").patch(MERGE, "{\"status\": {\"phase\": \"Succeeded\"}}");
    }

    private void awaitCompletion(String job) {
        eventually(() -> {
            GenericKubernetesResource found = admission
                    .admin
                    .genericKubernetesResources("trainer.kubeflow.org/v1alpha1", "TrainJob")
                    .inNamespace(NAMESPACE)
                    .withName(job)
                    .require();
            List<Map<String, Object>> conditions = found.get("status", "conditions");
            assertThat(conditions)
                    .anySatisfy(condition -> assertThat(condition)
                            .containsEntry("type", "Complete")
                            .containsEntry("status", "True"));
        });
    }
}
