/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.job.direct;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static dev.fabricoperator.e2e.junit.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.FabricJob;
import dev.fabricoperator.crds.FabricJobStatus;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.e2e.job.ProofImages;
import dev.fabricoperator.e2e.node.HostProcesses;
import dev.fabricoperator.e2e.node.RealCluster;
import dev.fabricoperator.e2e.node.RealNode;
import dev.fabricoperator.e2e.system.Command;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Jobs by direct launch on real nodes, and hands that reach into their pods. */
final class FaultCase {
    static final String RANKS = "ranks";
    /** The PMIx server of a pod: a process of the ranks' container, or a container of its own. */
    static final String PMIXD = "fabric-pmixd";

    private static final String PMIXD_ARGUMENT = "@app/pmixd.main";
    /** Keeps a pod from its node until {@link #open}. */
    private static final String GATE = "example.org/held";

    private static final String INDEX = "batch.kubernetes.io/job-completion-index";

    final RealCluster cluster;
    final KubernetesClient admin;
    final Command kubectl;
    final String namespace;

    /** @param namespace that has opted in */
    FaultCase(RealCluster cluster, String namespace) {
        this.cluster = cluster;
        this.namespace = namespace;
        this.admin = cluster.admin();
        this.kubectl = Command.kubectl(cluster);
    }

    static ConditionFactory soon() {
        return Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofMillis(200));
    }

    /** One rank a pod, spread over the nodes; pods that fail are replaced twice. */
    static JobBuilder job(String name, int pods, String... command) {
        return new JobBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withCompletions(pods)
                .withParallelism(pods)
                .withCompletionMode("Indexed")
                .withBackoffLimit(2)
                .withNewTemplate()
                .withNewMetadata()
                .withAnnotations(Map.of("fabric-operator.dev/launch", "direct"))
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .withAutomountServiceAccountToken(false)
                .withTerminationGracePeriodSeconds(5L)
                .addNewTopologySpreadConstraint()
                .withMaxSkew(1)
                .withTopologyKey("kubernetes.io/hostname")
                .withWhenUnsatisfiable("ScheduleAnyway")
                .withNewLabelSelector()
                .addToMatchLabels("job-name", name)
                .endLabelSelector()
                .endTopologySpreadConstraint()
                .withContainers(new ContainerBuilder()
                        .withName(RANKS)
                        .withImage(ProofImages.PLAIN)
                        .withImagePullPolicy("Never")
                        .withCommand(command)
                        .addNewEnv()
                        // Ranks that wait in a loop would take the few cores from each other.
                        .withName("OMPI_MCA_mpi_yield_when_idle")
                        .withValue("1")
                        .endEnv()
                        .addNewEnv()
                        // What the PMIx server writes is looked at.
                        .withName("PMIXD_LOG")
                        .withValue("all")
                        .endEnv()
                        .build())
                .endSpec()
                .endTemplate()
                .endSpec();
    }

    /** The same with every pod held back until {@link #open}. */
    static JobBuilder held(JobBuilder job) {
        return job.editSpec()
                .editTemplate()
                .editSpec()
                .addNewSchedulingGate(GATE)
                .endSpec()
                .endTemplate()
                .endSpec();
    }

    static JobBuilder annotated(JobBuilder job, String name, String value) {
        return job.editSpec()
                .editTemplate()
                .editMetadata()
                .addToAnnotations("fabric-operator.dev/" + name, value)
                .endMetadata()
                .endTemplate()
                .endSpec();
    }

    Job create(JobBuilder job) {
        return admin.resource(job.build()).inNamespace(namespace).create();
    }

    /** Lets the scheduler have what the Job controller makes in place of pods of a {@link #held} job, until the Job has ended. */
    void openUntilEnd(String job) {
        // One of them may go meanwhile.
        soon().ignoreExceptions().until(() -> {
            pods(job).stream()
                    .filter(FaultCase::lives)
                    .filter(pod -> !pod.getSpec().getSchedulingGates().isEmpty())
                    .forEach(this::tryToOpen);
            return hasEnded(job);
        });
    }

    /** All pods that the API server knows of a job. */
    List<Pod> pods(String job) {
        return admin.pods()
                .inNamespace(namespace)
                .withLabel("job-name", job)
                .list()
                .getItems();
    }

    private static boolean lives(Pod pod) {
        String phase = pod.getStatus().getPhase();
        return pod.getMetadata().getDeletionTimestamp() == null && !"Failed".equals(phase);
    }

    static String uid(Pod pod) {
        return pod.getMetadata().getUid();
    }

    /** The pod that has an index, once it is as wanted. */
    Pod pod(String job, int index, Predicate<Pod> wanted) {
        List<Pod> found = new ArrayList<>();
        soon().until(() -> {
            found.clear();
            pods(job).stream()
                    .filter(pod -> Integer.toString(index)
                            .equals(pod.getMetadata().getLabels().get(INDEX)))
                    .filter(FaultCase::lives)
                    .filter(wanted)
                    .max(Comparator.comparing(pod -> pod.getMetadata().getCreationTimestamp()))
                    .ifPresent(found::add);
            return !found.isEmpty();
        });
        return found.getFirst();
    }

    Pod pod(String job, int index) {
        return pod(job, index, pod -> true);
    }

    /** What the API server knows of the same pod now. */
    Pod now(Pod pod) {
        return Objects.requireNonNull(admin.resource(pod).get());
    }

    /** Lets the scheduler have a pod of a {@link #held} job. */
    void open(Pod pod) {
        eventually(() -> tryToOpen(pod));
    }

    private void tryToOpen(Pod pod) {
        admin.pods()
                .inNamespace(namespace)
                .withName(pod.getMetadata().getName())
                .edit(held -> {
                    held.getSpec().setSchedulingGates(List.of());
                    return held;
                });
    }

    /** {@link #PMIXD}: what the PMIx server wrote, wherever that is. */
    String log(Pod pod, String container) {
        try {
            return admin.pods()
                    .inNamespace(namespace)
                    .withName(pod.getMetadata().getName())
                    .inContainer(containerOf(pod, container))
                    .getLog();
        } catch (KubernetesClientException e) {
            // Not started yet, or its node is away.
            return "";
        }
    }

    void awaitLog(Pod pod, String container, String text) {
        soon().untilAsserted(() -> assertThat(log(pod, container)).contains(text));
    }

    RealNode nodeOf(Pod pod) {
        return cluster.node(pod.getSpec().getNodeName());
    }

    static Container container(Pod pod, String name) {
        return pod.getSpec().getContainers().stream()
                .filter(container -> container.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    static ContainerStatus status(Pod pod, String container) {
        return pod.getStatus().getContainerStatuses().stream()
                .filter(status -> status.getName().equals(container))
                .findFirst()
                .orElseThrow();
    }

    private static boolean runs(Pod pod, String container) {
        return pod.getStatus().getContainerStatuses().stream()
                .anyMatch(status ->
                        status.getName().equals(container) && status.getState().getRunning() != null);
    }

    /** SIGKILL for the first process of a container, or for the {@link #PMIXD} in it, as when memory is short. */
    void kill(Pod pod, String container) {
        String in = containerOf(pod, container);
        // The log of a container can be read a while before its id stands in the pod's status.
        soon().until(() -> runs(now(pod), in));
        Pod now = now(pod);
        if (in.equals(container)) {
            nodeOf(now).killContainer(status(now, container).getContainerID());
        } else {
            ProcessHandle.of(process(now, container).pid()).orElseThrow().destroyForcibly();
        }
    }

    /** The first process of a container, or the {@link #PMIXD} in it. */
    static HostProcesses.Memory process(Pod pod, String container) {
        String in = containerOf(pod, container);
        return HostProcesses.ofContainer(status(pod, in).getContainerID(), in.equals(container) ? "" : PMIXD_ARGUMENT);
    }

    static boolean hasSecondContainer(Pod pod) {
        return pod.getSpec().getContainers().stream()
                .anyMatch(container -> container.getName().equals(PMIXD));
    }

    static String containerOf(Pod pod, String container) {
        return container.equals(PMIXD) && !hasSecondContainer(pod) ? RANKS : container;
    }

    /** Lets ranks of mpi-steady come to their end. */
    void endSteady(Pod rankZero) {
        soon().until(() -> runs(now(rankZero), RANKS));
        makeFile(now(rankZero), "steady-ends");
    }

    /** Makes a file in the root directory of the ranks' container of every pod of a Job that runs, until the Job has ended. */
    void makeFileUntilEnd(String job, String file) {
        // One of them may go meanwhile.
        soon().ignoreExceptions().until(() -> {
            pods(job).stream().filter(pod -> runs(pod, RANKS)).forEach(pod -> makeFile(pod, file));
            return hasEnded(job);
        });
    }

    private static void makeFile(Pod pod, String name) {
        HostProcesses.makeFile(status(pod, RANKS).getContainerID(), name);
    }

    /** The object is gone at once and the kubelet kills what runs. */
    void remove(Pod pod) {
        admin.resource(pod).withGracePeriod(0).delete();
    }

    /** Runs a job of two pods, kills the PMIx server of the first, and sees that the pod is replaced and the job completes. */
    Pod survivorOfKilledPmixd(String job) {
        create(job(job, 2, "mpi-steady", "1000", "0"));
        Pod survivor = pod(job, 1);
        Pod dies = pod(job, 0);
        awaitLog(survivor, RANKS, "steady: attempt 0 rank 1 of 2 begins");

        kill(dies, PMIXD);

        assertThat(awaitEnd(job, "Complete").getStatus().getFailed()).isEqualTo(1);
        awaitLog(dies, RANKS, "pmixd has gone while ranks run: they are ended");
        assertThat(status(now(dies), RANKS).getState().getTerminated().getExitCode())
                .isEqualTo(125);
        return survivor;
    }

    FabricJobStatus fabricJob(String job) {
        FabricJob found = admin.resources(FabricJob.class)
                .inNamespace(namespace)
                .withName(job)
                .get();
        assertThat(found).as("FabricJob %s", job).isNotNull();
        assertThat(found.getStatus()).as("status of FabricJob %s", job).isNotNull();
        return found.getStatus();
    }

    FabricJobStatus awaitPhase(String job, JobPhase phase) {
        FabricJobStatus[] found = new FabricJobStatus[1];
        soon().ignoreExceptions().untilAsserted(() -> {
            // This one is given: the next attempt of a job has another phase.
            found[0] = fabricJob(job);
            assertThat(found[0].phase()).isEqualTo(phase);
        });
        return found[0];
    }

    /** Waits until the Job is complete, or failed, and gives it as it is then. */
    Job awaitEnd(String job, String condition) {
        soon().until(() -> hasEnded(job));
        assertThat(conditions(job)).contains(condition);
        return Objects.requireNonNull(
                admin.batch().v1().jobs().inNamespace(namespace).withName(job).get());
    }

    boolean hasEnded(String job) {
        return conditions(job).stream().anyMatch(type -> type.equals("Complete") || type.equals("Failed"));
    }

    private List<String> conditions(String job) {
        Job found =
                admin.batch().v1().jobs().inNamespace(namespace).withName(job).get();
        return found == null || found.getStatus() == null
                ? List.of()
                : found.getStatus().getConditions().stream()
                        .filter(condition -> condition.getStatus().equals("True"))
                        .map(condition -> condition.getType())
                        .toList();
    }

    List<String> events(String job) {
        return admin.v1().events().inNamespace(namespace).list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().equals(job))
                .map(event -> event.getReason() + ": " + event.getMessage())
                .toList();
    }

    List<Pod> servers() {
        return admin
                .pods()
                .inNamespace("fabric-operator")
                .withLabel("app.kubernetes.io/component", "server")
                .list()
                .getItems()
                .stream()
                .filter(FaultCase::lives)
                .toList();
    }

    /** Pods, FabricJobs and what the PMIx servers say, for a look after a failure. */
    String story() {
        StringBuilder story = new StringBuilder();
        try {
            story.append(kubectl.run("-n", namespace, "get", "fjob,jobs,pods", "-o", "wide"));
            story.append(kubectl.run("-n", namespace, "get", "events", "--sort-by=.metadata.creationTimestamp"));
            for (Pod server : servers()) {
                String name = server.getMetadata().getName();
                story.append("--- ").append(name).append('\n');
                story.append(kubectl.run("-n", "fabric-operator", "logs", "--tail=60", name));
            }
            for (Pod pod : admin.pods().inNamespace(namespace).list().getItems()) {
                for (String container : hasSecondContainer(pod) ? List.of(PMIXD, RANKS) : List.of(RANKS)) {
                    story.append("--- ").append(pod.getMetadata().getName()).append(' ');
                    story.append(container).append('\n').append(log(pod, container));
                }
            }
        } catch (RuntimeException e) {
            story.append("no more is known: ").append(e.getMessage());
        }
        return story.toString();
    }
}
