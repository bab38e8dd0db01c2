/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.LaunchRequest;
import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.PodOwnerKind;
import dev.fabricoperator.operator.launch.RankBindTo;
import dev.fabricoperator.operator.launch.RankOrder;
import dev.fabricoperator.protocol.job.JobNames;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A pod whose container has no command: what its image starts is its only rank. No launcher can stand before it, so that all
 * that the rank must know is written into its environment before the pod is made, and the pod's PMIx server stands before
 * it as a native sidecar: the kubelet starts the container when the startup probe says that the rank can be served.
 *
 * @see "KEP-753 sidecar containers"
 */
final class FixedRankInjection {
    private static final int PROBE_SECONDS = 1;
    private static final List<String> URIS = List.of(
            "PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI3", "PMIX_SERVER_URI21", "PMIX_SERVER_URI2");

    private FixedRankInjection() {}

    /** @throws DeniedException where the rank's place or its user is not known before it starts */
    static void check(JsonNode pod, JsonNode application, LaunchRequest request, PodOwnerKind kind)
            throws DeniedException {
        String name = "container " + application.path("name").asText();
        String write = "write the command of the image into spec.containers[].command";
        if (request.ranksPerPod() > 1) {
            throw new DeniedException(
                    name + " has no command, and what its image starts is one rank, not the " + request.ranksPerPod()
                            + " of " + LaunchApi.RANKS_PER_POD + ": " + write + ", or leave out the annotation");
        }
        if (request.bindTo() != RankBindTo.none) {
            throw new DeniedException(name + " has no command, and nothing binds the rank that its image starts, which "
                    + LaunchApi.BIND + ": " + request.bindTo() + " asks for: " + write);
        }
        if (request.rankOrder() == RankOrder.topology || kind.fixedRank(pod) == null) {
            throw new DeniedException(name
                    + " has no command, so that its rank must be its completion index, which it is not in a JobSet,"
                    + " a StatefulSet, a LeaderWorkerSet or a Volcano Job, or with " + LaunchApi.RANK_ORDER
                    + ": topology: " + write);
        }
        if (!pod.at("/spec/restartPolicy").asText().equals("Never")) {
            throw new DeniedException(
                    name + " has no command, so that nothing can hold it back when the kubelet starts it again: "
                            + write + ", or set spec.restartPolicy: Never");
        }
        if (pod.at("/spec/hostNetwork").asBoolean()) {
            throw new DeniedException(
                    name + " has no command, and finds its PMIx server by a fixed port, which with hostNetwork"
                            + " it would share with other pods: " + write);
        }
        if (user(pod, application, "runAsUser") == null || user(pod, application, "runAsGroup") == null) {
            throw new DeniedException(
                    name + " has no command, and its PMIx server must know its user before it starts: set"
                            + " securityContext.runAsUser and runAsGroup, or " + write);
        }
    }

    /** The container's own, else the pod's; {@code null} where neither says it. */
    private static @Nullable Long user(JsonNode pod, JsonNode application, String field) {
        JsonNode own = application.path("securityContext").path(field);
        JsonNode found =
                own.isIntegralNumber() ? own : pod.at("/spec/securityContext").path(field);
        return found.isIntegralNumber() ? (Long) found.longValue() : null;
    }

    /** Adds the server's container, and what the rank must know to the environment of the application's. */
    static void add(
            ObjectNode pod,
            ObjectNode application,
            ObjectNode server,
            PodShape.Server around,
            AdmissionSettings.Pmixd settings) {
        // Launchable lets in no pod without.
        OwnerRef owner = Objects.requireNonNull(OwnerRef.controller(pod));
        String index = Objects.requireNonNull(
                Objects.requireNonNull(PodOwnerKind.of(owner)).fixedRank(pod));
        String nspace = JobNames.nspace(around.namespace(), owner.name(), owner.uid(), 0);
        ArrayNode variables = server.withArray("env");
        variable(variables, "FABRIC_RANK_PORT", Integer.toString(settings.port()));
        variable(variables, "FABRIC_RANK_NAMESPACE", nspace);
        variable(variables, "FABRIC_RANK", index);
        variable(variables, "FABRIC_RANK_UID", String.valueOf(user(pod, application, "runAsUser")));
        variable(variables, "FABRIC_RANK_GID", String.valueOf(user(pod, application, "runAsGroup")));
        server.put("restartPolicy", "Always");
        ObjectNode probe = server.putObject("startupProbe");
        probe.putObject("exec")
                .putArray("command")
                .add(SecondContainerShape.PROGRAM)
                .add("--ready");
        // pmixd itself ends when the job has not become whole in time.
        probe.put("periodSeconds", PROBE_SECONDS).put("failureThreshold", Integer.MAX_VALUE);
        pod.withArray("/spec/initContainers").add(server);
        // Of two of one name the later one counts.
        ArrayNode environment = application.withArray("env");
        variable(environment, "PMIX_NAMESPACE", nspace);
        variable(environment, "PMIX_RANK", index);
        for (String uri : URIS) {
            variable(environment, uri, "pmixd.0;tcp4://127.0.0.1:" + settings.port());
        }
        variable(environment, "PMIX_GDS_MODULE", "hash");
        variable(environment, "PMIX_SECURITY_MODE", "native");
        variable(environment, "PMIX_BFROP_BUFFER_TYPE", "PMIX_BFROP_BUFFER_NON_DESC");
        // As pmixd tells them to the ranks of a launcher.
        DirectJob job = around.job();
        if (job != null) {
            String size = Integer.toString(job.ranks());
            for (String name : List.of("OMPI_COMM_WORLD_SIZE", "OMPI_WORLD_SIZE", "OMPI_UNIVERSE_SIZE")) {
                variable(environment, name, size);
            }
        }
        variable(environment, "OMPI_COMM_WORLD_RANK", index);
        variable(environment, "OMPI_COMM_WORLD_LOCAL_SIZE", "1");
        variable(environment, "OMPI_WORLD_LOCAL_SIZE", "1");
        variable(environment, "OMPI_COMM_WORLD_LOCAL_RANK", "0");
        variable(environment, "OMPI_COMM_WORLD_NODE_RANK", "0");
        ObjectNode hostname = environment.addObject().put("name", "PMIX_HOSTNAME");
        hostname.putObject("valueFrom").putObject("fieldRef").put("fieldPath", "metadata.name");
    }

    private static void variable(ArrayNode environment, String name, String value) {
        environment.addObject().put("name", name).put("value", value);
    }
}
