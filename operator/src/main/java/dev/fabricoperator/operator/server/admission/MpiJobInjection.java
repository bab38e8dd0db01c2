/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.launch.LaunchRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code launch: env} in the pods of an MPIJob, whose launcher reaches its workers by ssh.
 *
 * <ul>
 *   <li>The MPI Operator sets variables that Open MPI 4 reads; Open MPI 5 has the same ones under other names, and without them runs all
 *       ranks in one pod or finds no slots.
 *   <li>The launcher's program is started when every worker's SSH server answers.
 *   <li>Sessions of sshd have none of the container's variables; a worker keeps them in a file, and the daemon that Open MPI starts in a session
 *       takes them from there.
 * </ul>
 *
 * @see "kubeflow/mpi-operator v0.7.0, pkg/controller/mpi_job_controller.go"
 */
final class MpiJobInjection {
    private static final String OPERATOR_LABEL = "training.kubeflow.org/operator-name";
    private static final String OPERATOR = "mpi-operator";
    private static final String ROLE_LABEL = "training.kubeflow.org/job-role";
    /** Of a launcher only where that is a worker, too ({@code runLauncherAsWorker}). */
    private static final String INDEX_LABEL = "training.kubeflow.org/replica-index";
    /** Where the MPI Operator names the hostfile, by MPI library. */
    private static final List<String> HOSTFILE_VARIABLES =
            List.of("OMPI_MCA_orte_default_hostfile", "I_MPI_HYDRA_HOST_FILE", "HYDRA_HOST_FILE");
    /** Name in Open MPI 4 and, with the same meaning, in 5. */
    private static final Map<String, String> OPEN_MPI_5 = openMpi5();

    private static final String KEEP_FULL_NAMES = "PRTE_MCA_prte_keep_fqdn_hostnames";

    private static final String KEPT_FILE = PodVolumes.RUN_PATH + "/environment";

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
            ImageVolumeSupport imageVolumes) {
        Map<String, JsonNode> variables = new LinkedHashMap<>();
        container
                .path("env")
                .forEach(variable -> variables.put(variable.path("name").asText(), variable));
        String hostfile = hostfile(variables);
        if (role == Role.LAUNCHER) {
            addOpenMpi5(container, variables, pod.at("/metadata/labels").has(INDEX_LABEL));
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
            RankCommand.putBehind(
                    container,
                    LaunchApi.IMAGE_VOLUME_LAUNCHER,
                    "--await-hosts",
                    String.valueOf(hostfile),
                    "--timeout",
                    Long.toString(request.assemblyTimeout().toSeconds()));
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
     * @param isWorker the launcher's own name stands in the hostfile: with full names kept, mpirun takes it for another host, since the pod's
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
