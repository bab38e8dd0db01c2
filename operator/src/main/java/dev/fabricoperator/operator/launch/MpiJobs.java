/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.protocol.job.JobLimits;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * MPIJobs of the MPI Operator: the launcher's pod, which has no ranks, before the pods of workers. Ranks run when mpirun in the launcher's
 * pod asks for them, each time in an attempt of its own. The MPIJob itself makes the workers, which have their places in their names; a Job of Kubernetes
 * that it controls makes the launcher's pod.
 *
 * @see "kubeflow/mpi-operator v0.7.0, pkg/controller/mpi_job_controller.go"
 */
final class MpiJobs implements PodOwnerKind {
    static final MpiJobs KIND = new MpiJobs();

    /** Older ones are those of the Training Operator, which has other pods. */
    private static final String VERSION = "kubeflow.org/v2beta1";

    /** Whose mpirun the launcher program plays. */
    private static final Set<String> IMPLEMENTATIONS = Set.of("OpenMPI", "Intel", "MPICH");

    private static final String LAUNCHER = "launcher";
    private static final String WORKER = "worker";

    private MpiJobs() {}

    @Override
    public String group() {
        return "kubeflow.org";
    }

    @Override
    public String kind() {
        return "MPIJob";
    }

    @Override
    public String plural() {
        return "mpijobs";
    }

    @Override
    public String suffix() {
        return "mpijob";
    }

    /** Of workers; see {@link #launcherSlot} for the launcher. */
    @Override
    public PodOwner podOwner(OwnerRef reference, JsonNode object) {
        String prefix = reference.name() + "-" + WORKER + "-";
        return new PodOwner(reference, pod -> {
            int index = PodOwnerKind.indexBehind(prefix, pod.name());
            return index >= 0
                    ? new PodSlot(new JobKey(pod.namespace(), reference.uid()), reference, WORKER, 0, index)
                    : null;
        });
    }

    /** Whether a Job of Kubernetes that an MPIJob controls is the one that makes its launcher's pod. */
    static boolean isLauncher(OwnerRef job, OwnerRef mpiJob) {
        return job.name().equals(mpiJob.name() + "-" + LAUNCHER);
    }

    static PodSlot launcherSlot(String namespace, OwnerRef mpiJob) {
        return new PodSlot(new JobKey(namespace, mpiJob.uid()), mpiJob, LAUNCHER, 0, 0);
    }

    /** Its pods are recognised by their labels before anybody asks here. */
    @Override
    public @Nullable String refusal(OwnerRef owner, JsonNode pod) {
        return "the pod is none that the MPI Operator makes for " + owner.words()
                + ": it has no label training.kubeflow.org/operator-name: mpi-operator";
    }

    @Override
    public DirectJob job(String namespace, OwnerRef owner, JsonNode object) {
        JsonNode spec = object.path("spec");
        JsonNode replicas = spec.path("mpiReplicaSpecs");
        PodTemplate launcher = PodTemplate.of(replicas.at("/Launcher/template"));
        PodTemplate worker = PodTemplate.of(replicas.at("/Worker/template"));
        int workers = replicas.at("/Worker/replicas").asInt();
        int slots = spec.path("slotsPerWorker").asInt(1);
        String refusal = owner.apiVersion().equals(VERSION)
                ? refusal(owner.words(), spec, launcher, worker, workers, slots)
                : owner.words() + " is of " + owner.apiVersion() + ", and a direct launch takes those of " + VERSION
                        + ", which the MPI Operator runs";
        return new DirectJob(
                        namespace,
                        owner,
                        List.of(
                                new DirectJob.App(LAUNCHER, 1, 1, 0),
                                new DirectJob.App(WORKER, 1, workers, refusal == null ? slots : 1)),
                        launcher.request().assemblyTimeout(),
                        launcher.request().rankOrder(),
                        refusal,
                        new DirectJob.Advice(
                                List.of(), null, Set.of(), LauncherTemplate.of(replicas.at("/Launcher/template"))),
                        false)
                .asking(launcher.request());
    }

    private static @Nullable String refusal(
            String words, JsonNode spec, PodTemplate launcher, PodTemplate worker, int workers, int slots) {
        if (launcher.problem() != null || worker.problem() != null) {
            return words + ": " + (launcher.problem() != null ? launcher.problem() : worker.problem());
        }
        if (!launcher.direct() && !worker.direct()) {
            return words
                    + " asks for no direct launch in its templates by now, as this pod does, which was made before: its controller makes it"
                    + " again";
        }
        if (!launcher.direct() || !worker.direct()) {
            return words + " asks for a direct launch in the template of the " + (launcher.direct() ? LAUNCHER : WORKER)
                    + " only: set the annotation " + LaunchApi.LAUNCH + " in both templates";
        }
        if (workers < 1) {
            return words + " has no workers: set spec.mpiReplicaSpecs.Worker.replicas";
        }
        if (slots < 1 || slots > JobLimits.RANKS_PER_POD) {
            return words + " has spec.slotsPerWorker: " + slots + ", and a direct launch takes 1 to "
                    + JobLimits.RANKS_PER_POD;
        }
        if (spec.path("runLauncherAsWorker").asBoolean()) {
            return words
                    + " has spec.runLauncherAsWorker, and no rank is started in the launcher's pod by a direct launch:"
                    + " leave it out, and have one worker more";
        }
        String library = spec.path("mpiImplementation").asText("OpenMPI");
        return IMPLEMENTATIONS.contains(library)
                ? null
                : words + " has spec.mpiImplementation: " + library
                        + ", whose mpirun the launcher does not know: set the annotation " + LaunchApi.LAUNCH
                        + ": env in both templates";
    }

    @Override
    public @Nullable JobEnd end(OwnerRef owner, JsonNode object) {
        for (JsonNode condition : object.at("/status/conditions")) {
            boolean well = condition.path("type").asText().equals("Succeeded");
            if (condition.path("status").asText().equals("True")
                    && (well || condition.path("type").asText().equals("Failed"))) {
                String message = condition.path("message").asText();
                return new JobEnd(
                        well,
                        owner.words()
                                + (well ? " has succeeded" : " has failed")
                                + (message.isEmpty() ? "" : ": " + message));
            }
        }
        return null;
    }
}
