/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.launch.LaunchRequest;
import dev.fabricoperator.operator.launch.OwnerRef;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether a pod can be launched directly, and the sentence for its author where it cannot or hardly can. */
final class Launchable {
    /** They would start a job of their own in every pod. */
    private static final Set<String> STARTERS =
            Set.of("mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "prun", "srun", "torchrun");

    private Launchable() {}

    static void check(
            JsonNode pod, JsonNode application, LaunchRequest request, @Nullable OwnerSpecs job, List<String> warnings)
            throws DeniedException {
        OwnerRef owner = OwnerRef.controller(pod);
        if (owner == null || !owner.isJob()) {
            throw new DeniedException("direct launch takes the pods of an Indexed Job or of a JobSet, and this pod is "
                    + (owner == null ? "nobody's" : "of the " + owner.kind() + " " + owner.name())
                    + ": put its template into a Job with completionMode: Indexed");
        }
        String name = "Job " + owner.name();
        if (!pod.at("/metadata/annotations")
                .path(FixedRankInjection.COMPLETION_INDEX)
                .isTextual()) {
            throw new DeniedException(
                    "the pods of " + name + " have no stable index: set spec.completionMode: Indexed");
        }
        if (pod.at("/spec/os/name").asText().equals("windows")) {
            throw new DeniedException("direct launch is for Linux: remove the annotation " + LaunchApi.LAUNCH);
        }
        if (pod.at("/spec/hostNetwork").asBoolean() && !request.hostNetwork()) {
            throw new DeniedException(
                    "the pod has hostNetwork, so that its PMIx server listens where every other program of its node with hostNetwork can"
                            + " connect: remove spec.hostNetwork, or set the annotation " + LaunchApi.HOST_NETWORK
                            + ": \"true\" where you trust them");
        }
        if (application.path("command").isEmpty()) {
            FixedRankInjection.check(pod, application, request);
        } else {
            checkCommand(application, warnings);
        }
        checkLibrary(application, warnings);
        if (job != null) {
            checkJob(name, application, job, warnings);
        }
    }

    private static void checkCommand(JsonNode application, List<String> warnings) throws DeniedException {
        JsonNode command = application.path("command");
        String program = command.path(0).asText();
        String base = program.substring(program.lastIndexOf('/') + 1);
        if (STARTERS.contains(base)) {
            throw new DeniedException(
                    "the command of container " + application.path("name").asText() + " is " + base
                            + ", which would start a job of its own in every pod: name the program itself, its ranks are started by "
                            + LaunchApi.RANKS_PER_POD);
        }
        StringBuilder words = new StringBuilder();
        command.forEach(word -> words.append(' ').append(word.asText()));
        application.path("args").forEach(word -> words.append(' ').append(word.asText()));
        for (String word : words.toString().split("[\\s;&|()]+")) {
            if (STARTERS.contains(word.substring(word.lastIndexOf('/') + 1))) {
                warnings.add(
                        "the command of container " + application.path("name").asText() + " speaks of " + word
                                + ": if that is run, it starts a job of its own in every pod; name the program itself");
                return;
            }
        }
    }

    private static void checkLibrary(JsonNode application, List<String> warnings) {
        String image = application.path("image").asText().toLowerCase(Locale.ROOT);
        boolean intelVariable = false;
        boolean intelLibrary = false;
        for (JsonNode variable : application.path("env")) {
            String name = variable.path("name").asText();
            intelVariable |= name.startsWith("I_MPI_");
            intelLibrary |= name.equals("I_MPI_PMI_LIBRARY");
        }
        if (image.contains("mpich") || image.contains("mvapich")) {
            warnings.add("the image's name speaks of MPICH: it finds its peers here only if it was built with PMIx"
                    + " (configure --with-pmi=pmix), else every rank runs alone");
        } else if (!intelLibrary && (intelVariable || image.matches(".*(intel-?mpi|impi|oneapi|hpckit).*"))) {
            warnings.add("Intel MPI finds its peers here only if I_MPI_PMI_LIBRARY names a libpmix.so of the image:"
                    + " set it in the container's env, else every rank runs alone");
        }
    }

    private static void checkJob(String name, JsonNode application, OwnerSpecs facts, List<String> warnings)
            throws DeniedException {
        if (facts.pods() > OwnerSpecs.MAX_PODS) {
            throw new DeniedException(
                    "the job of " + name + " has more than " + OwnerSpecs.MAX_PODS
                            + " pods, the most of a direct launch: lower completions and parallelism, and start more ranks in each pod");
        }
        JsonNode spec = facts.job().path("spec");
        long completions = spec.path("completions").asLong(1);
        long parallelism = spec.path("parallelism").asLong(1);
        if (parallelism < completions) {
            throw new DeniedException("of the " + completions + " pods of " + name + " only " + parallelism
                    + " run at one time, and all ranks of a job must: set spec.parallelism to " + completions);
        }
        boolean perIndex = spec.has("backoffLimitPerIndex");
        if (spec.path(perIndex ? "backoffLimitPerIndex" : "backoffLimit").asLong(6) == 0) {
            warnings.add(name + " allows no retry: a single pod that is lost ends it; set spec."
                    + (perIndex ? "backoffLimitPerIndex" : "backoffLimit") + " to 1 or more");
        }
        JsonNode jobSet = facts.jobSet();
        if (jobSet != null
                && jobSet.at("/spec/startupPolicy/startupPolicyOrder").asText().equals("InOrder")
                && jobSet.at("/spec/replicatedJobs").size() > 1
                && application.has("readinessProbe")) {
            throw new DeniedException(
                    "JobSet " + jobSet.at("/metadata/name").asText()
                            + " starts its jobs one after the other, each when the one before is ready, and here none is ready before all"
                            + " have started: set spec.startupPolicy.startupPolicyOrder: AnyOrder, or remove the readinessProbe");
        }
    }
}
