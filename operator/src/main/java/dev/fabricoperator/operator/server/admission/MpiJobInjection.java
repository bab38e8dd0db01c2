/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.LaunchRequest;
import dev.fabricoperator.operator.launch.LauncherTemplate;
import dev.fabricoperator.operator.launch.RankOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pods of an MPIJob, or of a TrainJob whose runtime has {@code mlPolicy.mpi}. With {@code launch: env} the launcher reaches its workers by ssh:
 *
 * <ul>
 *   <li>The MPI Operator sets variables that Open MPI 4 reads; Open MPI 5 has the same ones under other names, and without them runs all
 *       ranks in one pod or finds no slots.
 *   <li>The launcher's program is started when every worker's SSH server answers.
 *   <li>Sessions of sshd have none of the container's variables; a worker keeps them in a file, and the daemon that Open MPI starts in a session
 *       takes them from there.
 * </ul>
 *
 * With {@code launch: direct} mpirun of an MPIJob is the launcher program, which has the ranks started by that of the workers, beside their sshd.
 *
 * @see "kubeflow/mpi-operator v0.7.0, pkg/controller/mpi_job_controller.go; kubeflow/trainer v2.0.0, pkg/runtime/framework/plugins/mpi/mpi.go"
 */
final class MpiJobInjection {
    private static final String OPERATOR_LABEL = "training.kubeflow.org/operator-name";
    private static final String OPERATOR = "mpi-operator";
    private static final String ROLE_LABEL = "training.kubeflow.org/job-role";
    /** Of a launcher only where that is a worker, too ({@code runLauncherAsWorker}). */
    private static final String INDEX_LABEL = "training.kubeflow.org/replica-index";
    /** Of the pods of a JobSet. Kubeflow Trainer calls those of an MPI runtime launcher and node. */
    private static final String REPLICATED_JOB_LABEL = "jobset.sigs.k8s.io/replicatedjob-name";
    /** Where the hostfile is named, by MPI library. */
    private static final List<String> HOSTFILE_VARIABLES =
            List.of("OMPI_MCA_orte_default_hostfile", "I_MPI_HYDRA_HOST_FILE", "HYDRA_HOST_FILE");
    /** Name in Open MPI 4 and, with the same meaning, in 5. */
    private static final Map<String, String> OPEN_MPI_5 = openMpi5();

    private static final String KEEP_FULL_NAMES = "PRTE_MCA_prte_keep_fqdn_hostnames";

    private static final String KEPT_FILE = PodVolumes.RUN_PATH + "/environment";
    /** The hostfile in the order of the fabric. */
    private static final String ORDERED_FILE = PodVolumes.RUN_PATH + "/hostfile";
    /** Of links to the launcher, which comes first in PATH. */
    private static final String MPIRUN_DIRECTORY = PodVolumes.RUN_PATH + "/mpirun";

    /** What a pod is in its MPIJob. */
    enum Role {
        LAUNCHER,
        WORKER
    }

    private MpiJobInjection() {}

    private static Map<String, String> openMpi5() {
        Map<String, String> names = new LinkedHashMap<>();
        names.put("OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile");
        names.put("OMPI_MCA_orte_keep_fqdn_hostnames", KEEP_FULL_NAMES);
        names.put("OMPI_MCA_orte_set_default_slots", "PRTE_MCA_prte_set_default_slots");
        names.put("OMPI_MCA_plm_rsh_args", "PRTE_MCA_plm_ssh_args");
        return names;
    }

    /** {@code null} for a pod of no MPIJob. */
    static @Nullable Role role(JsonNode pod) {
        JsonNode labels = pod.at("/metadata/labels");
        if (!labels.path(OPERATOR_LABEL).asText().equals(OPERATOR)) {
            return null;
        }
        return switch (labels.path(ROLE_LABEL).asText()) {
            case "launcher" -> Role.LAUNCHER;
            case "worker" -> Role.WORKER;
            default -> null;
        };
    }

    /**
     * Gives the launcher's pod the annotations of the MPIJob's template as it is now, in place of those that its Job has from when it was made.
     *
     * @return what its author should know: that the pod's command is still that of then
     */
    static List<String> followTemplate(ObjectNode pod, @Nullable DirectJob job) {
        LauncherTemplate template = job == null ? null : job.advice().launcher();
        if (job == null || template == null || role(pod) != Role.LAUNCHER) {
            return List.of();
        }
        ObjectNode annotations = pod.withObject("/metadata/annotations");
        List<String> before = new ArrayList<>();
        annotations.fieldNames().forEachRemaining(before::add);
        before.removeIf(name -> !LaunchRequest.reads(name));
        annotations.remove(before);
        template.annotations().forEach(annotations::put);
        if (annotations.isEmpty()) {
            pod.withObject("/metadata").remove("annotations");
        }
        return template.hasOtherCommand(pod)
                ? List.of(job.owner().words()
                        + " has another command for its launcher by now, and the MPI Operator has made the launcher's Job before: suspend it, delete the Job "
                        + job.owner().name() + "-launcher, which is then made anew, and resume it")
                : List.of();
    }

    /** What a pod is among those that reach each other by ssh; {@code null} for one that is not of them. */
    static @Nullable Role roleBySsh(JsonNode pod, JsonNode container) {
        Role role = role(pod);
        if (role != null) {
            return role;
        }
        String command = container.path("command").path(0).asText();
        return switch (pod.at("/metadata/labels").path(REPLICATED_JOB_LABEL).asText()) {
            case "launcher" -> hostfile(variables(container)) == null ? null : Role.LAUNCHER;
            case "node" -> command.substring(command.lastIndexOf('/') + 1).equals("sshd") ? Role.WORKER : null;
            default -> null;
        };
    }

    /**
     * Changes a pod that is to be made; what its author has set stays.
     *
     * @return what the pod's author should know
     */
    static List<String> prepare(
            ObjectNode pod,
            ObjectNode container,
            Role role,
            LaunchRequest request,
            ImageVolumeShape imageVolume,
            Injection.Surroundings around) {
        ImageVolumeSupport imageVolumes = around.imageVolumes();
        Map<String, JsonNode> variables = variables(container);
        String hostfile = hostfile(variables);
        if (role == Role.LAUNCHER) {
            // Of a TrainJob only its runtime says whether it is a worker, too (runLauncherAsNode, the default).
            addOpenMpi5(
                    container,
                    variables,
                    role(pod) == null || pod.at("/metadata/labels").has(INDEX_LABEL));
        }
        boolean hasCommand = !container.path("command").isEmpty();
        if (role == Role.LAUNCHER ? hostfile == null : variables.isEmpty()) {
            return List.of();
        }
        if (!imageVolumes.usable() || !hasCommand) {
            String name = "container " + container.path("name").asText();
            String lacks = role == Role.LAUNCHER
                    ? name + " is started at once, though workers may not be reachable yet"
                    : "ranks that are started by ssh in " + name + " do not get its variables";
            return List.of(lacks + ": "
                    + (hasCommand
                            ? imageVolumes.sentence()
                            : "it has no command; write that of its image into spec.containers[].command"));
        }
        imageVolume.mountLauncher(pod, container);
        if (role == Role.LAUNCHER) {
            List<String> launcher = new ArrayList<>(List.of(
                    LaunchApi.IMAGE_VOLUME_LAUNCHER,
                    "--await-hosts",
                    String.valueOf(hostfile),
                    "--timeout",
                    Long.toString(request.assemblyTimeout().toSeconds())));
            List<String> warnings = List.of();
            if (request.rankOrder() == RankOrder.topology) {
                warnings = addOrder(pod, container, request, launcher, around);
            }
            RankCommand.putBehind(container, launcher.toArray(String[]::new));
            return warnings;
        } else {
            RankCommand.putBehind(
                    container,
                    LaunchApi.IMAGE_VOLUME_LAUNCHER,
                    "--keep-environment",
                    KEPT_FILE,
                    "--names",
                    String.join(",", variables.keySet()));
        }
        return List.of();
    }

    private static List<String> addOrder(
            ObjectNode pod,
            ObjectNode container,
            LaunchRequest request,
            List<String> launcher,
            Injection.Surroundings around) {
        JobService service = around.service();
        if (service == null) {
            return List.of(
                    "ranks fill workers by index: the operator has no certificate yet that the launcher could trust");
        }
        ImageVolumeShape.addJobService(
                pod,
                container,
                new PodShape.Server(request, service, around.namespace(), 0, around.bounds(), null, false));
        // By this the NetworkPolicy of the job service knows it.
        pod.withObject("/metadata/labels").put(LaunchApi.RANK_ORDER, RankOrder.topology.name());
        launcher.addAll(List.of("--order", ORDERED_FILE, "--pmixd", ImageVolumeShape.PATH));
        return List.of();
    }

    /** A direct launch: pmixd of the workers serves the ranks of every mpirun that the launcher's pod calls. */
    static List<String> prepareDirect(
            ObjectNode pod,
            ObjectNode container,
            Role role,
            DirectJob job,
            PodShape.Server server,
            ImageVolumeShape imageVolume,
            ImageVolumeSupport imageVolumes)
            throws DeniedException {
        String name = "container " + container.path("name").asText();
        if (!imageVolumes.usable()) {
            throw new DeniedException("an MPIJob is launched directly with image volumes only: "
                    + imageVolumes.sentence() + "; set the annotation " + LaunchApi.LAUNCH + ": env in both templates");
        }
        if (container.path("command").isEmpty()) {
            throw new DeniedException(name
                    + " has no command, and no launcher can start what its image starts: write the command of the image into"
                    + " spec.containers[].command");
        }
        if (role == Role.WORKER) {
            int slots = job.apps().getLast().ranksPerPod();
            return imageVolume.add(
                    pod, container, server, List.of("--serve-runs", Integer.toString(slots)), RankCommand.grace(pod));
        }
        Map<String, JsonNode> variables = variables(container);
        // For what mpirun itself is left to do.
        addOpenMpi5(container, variables, false);
        List<String> behind = new ArrayList<>();
        String hostfile = hostfile(variables);
        if (hostfile != null) {
            behind.addAll(List.of(
                    "--hostfile",
                    hostfile,
                    "--timeout",
                    Long.toString(server.request().assemblyTimeout().toSeconds())));
        }
        return imageVolume.add(pod, container, server, List.of("--with-mpirun", MPIRUN_DIRECTORY), behind);
    }

    private static Map<String, JsonNode> variables(JsonNode container) {
        Map<String, JsonNode> variables = new LinkedHashMap<>();
        container
                .path("env")
                .forEach(variable -> variables.put(variable.path("name").asText(), variable));
        return variables;
    }

    private static @Nullable String hostfile(Map<String, JsonNode> variables) {
        for (String name : HOSTFILE_VARIABLES) {
            JsonNode variable = variables.get(name);
            if (variable != null && !variable.path("value").asText().isEmpty()) {
                return variable.path("value").asText();
            }
        }
        return null;
    }

    /**
     * @param isWorker whether the launcher's own name may stand in the hostfile: with full names kept, mpirun takes it for another host, since the pod's
     *     hostname is short. Daemons that start others know short names only, which have no address; so all of them are started from here.
     */
    private static void addOpenMpi5(ObjectNode container, Map<String, JsonNode> variables, boolean isWorker) {
        if (!variables.containsKey("OMPI_MCA_orte_default_hostfile")) {
            return;
        }
        Map<String, ObjectNode> added = new LinkedHashMap<>();
        OPEN_MPI_5.forEach((before, now) -> {
            if (variables.get(before) instanceof ObjectNode variable && !(isWorker && now.equals(KEEP_FULL_NAMES))) {
                // With its valueFrom, where it has one.
                added.put(now, variable.deepCopy());
            }
        });
        if (isWorker) {
            added.put("PRTE_MCA_plm_ssh_no_tree_spawn", container.objectNode().put("value", "1"));
        }
        added.put("PRTE_MCA_prte_launch_agent", container.objectNode().put("value", daemon("prted")));
        added.put("OMPI_MCA_orte_launch_agent", container.objectNode().put("value", daemon("orted")));
        added.forEach((name, variable) -> {
            if (!variables.containsKey(name)) {
                variable.remove("name");
                container.withArray("env").addObject().put("name", name).setAll(variable);
            }
        });
    }

    /** Runs in the shell of a session. A worker whose template does not ask for a launch has no such file, and starts the daemon as always. */
    private static String daemon(String program) {
        return "`test -x " + LaunchApi.IMAGE_VOLUME_LAUNCHER + " && echo " + LaunchApi.IMAGE_VOLUME_LAUNCHER
                + " --take-environment " + KEPT_FILE + " --` " + program;
    }
}
