/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.LaunchRequest;
import dev.fabricoperator.operator.launch.OwnerKind;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.PodOwnerKind;
import dev.fabricoperator.operator.launch.PodTemplate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Whether a pod can be launched directly, and the sentence for its author where it cannot or hardly can. */
final class Launchable {
    /** They would start a job of their own in every pod. */
    private static final Set<String> MPI_STARTERS =
            Set.of("mpirun", "mpiexec", "mpiexec.hydra", "orterun", "prterun", "prun", "srun");

    private static final Set<String> TORCH_STARTERS = Set.of("torchrun", "deepspeed");

    /** Modules of Python that do so. */
    private static final Set<String> STARTING_MODULES = Set.of(
            "torch.distributed.run",
            "torch.distributed.launch",
            "accelerate.commands.launch",
            "deepspeed",
            "deepspeed.launcher.runner");

    /** What a shell's line begins a command with; of programs that install or look for others the names are no commands. */
    private static final Pattern BETWEEN_COMMANDS = Pattern.compile("[;&|()\n`]+");

    private static final Set<String> NAMES_OTHERS = Set.of("install", "which", "type", "echo", "printf", "add", "help");

    /** Options of env that take the next word. */
    private static final Set<String> ENV_OPTIONS_WITH_VALUE = Set.of("-u", "-C", "--unset", "--chdir");

    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*=.*");

    private static final Pattern PYTHON = Pattern.compile("python[0-9.]*");

    private static final String TORCHRUN =
            ", which have RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT, as torchrun sets them with a static rendezvous";

    /** Of one rank, where there are several in a container. */
    private static final Set<String> OF_ONE_RANK = Set.of("RANK", "LOCAL_RANK");

    /** Of a pod that does not say it; nobody has asked for that. */
    private static final int KUBERNETES_GRACE_SECONDS = 30;

    private Launchable() {}

    static void check(
            JsonNode pod,
            JsonNode application,
            LaunchRequest request,
            Injection.Surroundings around,
            List<String> warnings)
            throws DeniedException {
        OwnerRef owner = OwnerRef.controller(pod);
        PodOwnerKind kind = PodOwnerKind.of(owner);
        if (owner == null || kind == null) {
            throw new DeniedException("direct launch takes the pods of " + OwnerKind.ALL_WORDS + ", and this pod is "
                    + (owner == null ? "nobody's" : "of the " + owner.kind() + " " + owner.name())
                    + ": put its template into a Job with completionMode: Indexed");
        }
        deny(kind.refusal(owner, pod));
        checkHost(pod, request);
        if (application.path("command").isEmpty()) {
            checkChoice(pod, application, request);
            FixedRankInjection.check(pod, application, request, kind);
            if (around.requiresPmix()) {
                throw new DeniedException(
                        "container " + application.path("name").asText()
                                + " has no command, so that the job cannot fail where no rank has called PMIx_Init, which the label "
                                + LaunchApi.LABEL_REQUIRE_PMIX
                                + " of its namespace asks for: write the command of the image into spec.containers[].command");
            }
        } else {
            checkCommand(application, warnings);
            Probes.check(application);
        }
        checkLibrary(application, warnings);
        checkRanks(application, request, warnings);
        DirectJob job = around.job();
        if (job != null) {
            deny(job.refusal());
            deny(PodTemplate.readyAfterStart(application) ? job.advice().whereReadyAfterStart(pod) : null);
            warnings.addAll(job.advice().warnings());
            checkGroups(job, warnings);
        }
        checkGrace(pod, job == null ? request.assemblyTimeout() : job.assemblyTimeout(), warnings);
    }

    /** Groups of ranks are of whole pods, or within one, which the annotations of one pod alone do not show. */
    private static void checkGroups(DirectJob job, List<String> warnings) {
        int size = job.groupSize();
        int ranks = job.apps().stream().mapToInt(DirectJob.App::ranks).sum();
        long different = job.apps().stream()
                .mapToInt(DirectJob.App::ranksPerPod)
                // The launcher of an MPIJob has none.
                .filter(each -> each > 0)
                .distinct()
                .count();
        if (size > 1 && different > 1) {
            warnings.add(LaunchApi.GROUP_SIZE + " is " + size
                    + ", and the pods of the job have different numbers of ranks, so that no group is of whole pods: ranks are ordered by the"
                    + " fabric, and no group is kept together; give all pods the same " + LaunchApi.RANKS_PER_POD);
        } else if (ranks % size != 0) {
            warnings.add(LaunchApi.GROUP_SIZE + " is " + size + ", and the job has " + ranks + " ranks: the last "
                    + ranks % size
                    + " make no whole group, and are where there is room; make the number of ranks a multiple");
        }
    }

    /** Where a pod is replaced, ranks of the others have the grace period before they can be part of the next attempt. */
    private static void checkGrace(JsonNode pod, Duration assemblyTimeout, List<String> warnings) {
        long graceSeconds = pod.at("/spec/terminationGracePeriodSeconds").asLong(KUBERNETES_GRACE_SECONDS);
        if (graceSeconds > Math.max(KUBERNETES_GRACE_SECONDS, assemblyTimeout.toSeconds())) {
            warnings.add("spec.terminationGracePeriodSeconds is " + graceSeconds
                    + ", and pods wait for one another for " + assemblyTimeout.toSeconds()
                    + " s: when a pod is replaced while ranks of another one take longer than that to end, those that wait for the next attempt end with code"
                    + " 124; set the annotation " + LaunchApi.ASSEMBLY_TIMEOUT
                    + " of the pod template to more than the grace period");
        }
    }

    /** A pod that the MPI Operator makes, whose launcher's command may be mpirun. */
    static void checkMpiJob(JsonNode pod, LaunchRequest request, @Nullable DirectJob job) throws DeniedException {
        OwnerRef owner = OwnerRef.controller(pod);
        if (job == null || !job.isRunByMpirun()) {
            throw new DeniedException("the pod is labelled as one of an MPIJob, and "
                    + (owner == null
                            ? "nobody controls it"
                            : "the " + owner.words() + " is none of an MPIJob that is there")
                    + ": remove the labels, or let the MPI Operator make it");
        }
        checkHost(pod, request);
        deny(job.refusal());
    }

    /** Who injects a container of his own, as a service mesh does, may have put it first. */
    private static void checkChoice(JsonNode pod, JsonNode application, LaunchRequest request) throws DeniedException {
        String name = application.path("name").asText();
        boolean chosen = request.container() != null
                || pod.at("/metadata/annotations")
                        .path(PodTemplate.DEFAULT_CONTAINER)
                        .asText()
                        .equals(name);
        String other = null;
        for (JsonNode container : pod.at("/spec/containers")) {
            if (other == null && !container.path("command").isEmpty()) {
                other = container.path("name").asText();
            }
        }
        if (!chosen && other != null) {
            throw new DeniedException("container " + name + " is the first one and has no command, and container "
                    + other
                    + " has one: name the container that runs the ranks by the annotation " + LaunchApi.CONTAINER
                    + " of the pod template, for example " + LaunchApi.CONTAINER + ": " + other);
        }
    }

    private static void checkHost(JsonNode pod, LaunchRequest request) throws DeniedException {
        if (pod.at("/spec/os/name").asText().equals("windows")) {
            throw new DeniedException("direct launch is for Linux: remove the annotation " + LaunchApi.LAUNCH);
        }
        if (pod.at("/spec/hostNetwork").asBoolean() && !request.hostNetwork()) {
            throw new DeniedException(
                    "the pod has hostNetwork, so that its PMIx server listens on its node's own addresses: remove spec.hostNetwork, or"
                            + " set the annotation " + LaunchApi.HOST_NETWORK + ": \"true\"");
        }
    }

    private static void deny(@Nullable String why) throws DeniedException {
        if (why != null) {
            throw new DeniedException(why);
        }
    }

    private static void checkCommand(JsonNode application, List<String> warnings) throws DeniedException {
        List<String> command = new ArrayList<>();
        application.path("command").forEach(word -> command.add(word.asText()));
        application.path("args").forEach(word -> command.add(word.asText()));
        String starter = starter(behindEnv(command));
        if (starter != null) {
            throw new DeniedException(
                    "the command of container " + application.path("name").asText() + " is " + starter
                            + ", which would start a job of its own in every pod: name the program itself, its ranks are started by "
                            + LaunchApi.RANKS_PER_POD + (MPI_STARTERS.contains(starter) ? "" : TORCHRUN));
        }
        for (String one : BETWEEN_COMMANDS.split(String.join(" ", command).replaceAll("[\"']", ""))) {
            List<String> words = List.of(one.strip().split("\\s+"));
            String spoken = words.stream().anyMatch(NAMES_OTHERS::contains) ? null : spokenOf(words);
            if (spoken != null) {
                warnings.add(
                        "the command of container " + application.path("name").asText() + " speaks of " + spoken
                                + ": if that is run, it starts a job of its own in every pod; name the program itself");
                return;
            }
        }
    }

    /** A starter may stand behind any program that runs what follows it, such as tini, time or sudo. */
    private static @Nullable String spokenOf(List<String> words) {
        for (int first = 0; first < words.size(); first++) {
            String starter = starter(words.subList(first, words.size()));
            if (starter != null) {
                return starter;
            }
        }
        return null;
    }

    private static String baseName(String word) {
        return word.substring(word.lastIndexOf('/') + 1);
    }

    /** {@code env}, with the variables that it sets, is no program of its own. */
    private static List<String> behindEnv(List<String> command) {
        if (command.isEmpty() || !baseName(command.getFirst()).equals("env")) {
            return command;
        }
        int first = 1;
        while (first < command.size()
                && (command.get(first).startsWith("-")
                        || VARIABLE.matcher(command.get(first)).matches())) {
            first += ENV_OPTIONS_WITH_VALUE.contains(command.get(first)) ? 2 : 1;
        }
        return command.subList(Math.min(first, command.size()), command.size());
    }

    /** {@code -m NAME}, {@code -mNAME}, also behind other letters: {@code -um NAME}. */
    private static final Pattern PYTHON_MODULE = Pattern.compile("-[bBdEhiIOPqRsSuvVx]*m(.*)");

    private static final Set<String> PYTHON_OPTIONS_WITH_VALUE = Set.of("-W", "-X", "--check-hash-based-pycs");

    /** What starts ranks of its own, of a command that begins with these words; {@code null} for none. */
    private static @Nullable String starter(List<String> command) {
        if (command.isEmpty()) {
            return null;
        }
        String base = baseName(command.getFirst());
        if (MPI_STARTERS.contains(base) || TORCH_STARTERS.contains(base)) {
            return base;
        }
        if (base.equals("accelerate")) {
            return command.size() > 1 && command.get(1).equals("launch") ? "accelerate launch" : null;
        }
        if (!PYTHON.matcher(base).matches()) {
            return null;
        }
        for (int i = 1; i < command.size() && command.get(i).startsWith("-"); i++) {
            String option = command.get(i);
            Matcher module = PYTHON_MODULE.matcher(option);
            if (module.matches()) {
                String name =
                        !module.group(1).isEmpty() ? module.group(1) : i + 1 < command.size() ? command.get(i + 1) : "";
                return STARTING_MODULES.contains(name) ? base + " -m " + name : null;
            }
            if (PYTHON_OPTIONS_WITH_VALUE.contains(option)) {
                i++;
            }
        }
        return null;
    }

    /** As Volcano's plugin for PyTorch, which knows pods and not ranks. */
    private static void checkRanks(JsonNode application, LaunchRequest request, List<String> warnings) {
        for (JsonNode variable : application.path("env")) {
            String name = variable.path("name").asText();
            if (request.ranksPerPod() > 1 && OF_ONE_RANK.contains(name)) {
                warnings.add("container " + application.path("name").asText() + " sets " + name + ", so that all "
                        + request.ranksPerPod()
                        + " ranks of a pod take it for their own, and a program of PyTorch waits for"
                        + " ranks that never come: leave it out, each rank has its own by default; in a Volcano Job it is"
                        + " spec.plugins.pytorch that sets it");
                return;
            }
        }
    }

    /** The launcher serves PMI-1; a container without command keeps its own entry point and has none. */
    private static void checkLibrary(JsonNode application, List<String> warnings) {
        String image = application.path("image").asText().toLowerCase(Locale.ROOT);
        boolean intel = image.matches(".*(intel-?mpi|impi|oneapi|hpckit).*");
        boolean libpmix = false;
        for (JsonNode variable : application.path("env")) {
            String name = variable.path("name").asText();
            intel |= name.startsWith("I_MPI_");
            if (name.equals("I_MPI_PMI_LIBRARY")) {
                libpmix = variable.path("value").asText().contains("pmix");
                if (!libpmix) {
                    warnings.add(
                            "I_MPI_PMI_LIBRARY makes Intel MPI ask another server than the launcher, which is not there, so that every"
                                    + " rank runs alone: leave it out");
                }
            }
        }
        boolean speaksPmi1 = intel ? !libpmix : image.contains("mpich") || image.contains("mvapich");
        if (application.path("command").isEmpty() && speaksPmi1) {
            warnings.add(
                    "the image seems to have MPICH or Intel MPI, whose ranks find each other by PMI-1: that needs the container's"
                            + " command in its specification, else every rank runs alone");
        }
    }
}
