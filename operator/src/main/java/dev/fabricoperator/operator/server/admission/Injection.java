/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.launch.LaunchRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes of a pod that asks for a launch one whose ranks can be started: a pure function of the pod and of what is known of its surroundings.
 *
 * <p>A pod that has the container already stays as it is, however often the API server asks.
 */
public final class Injection {
    private static final String DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";
    private static final String SHARED_MEMORY_VOLUME = "fabric-operator-shm";
    private static final String SHARED_MEMORY_PATH = "/dev/shm";
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final AdmissionSettings settings;

    /**
     * What a pod alone does not say.
     *
     * @param namespace of the pod
     * @param service {@code null} while there is no certificate that pods could be told to trust
     * @param job {@code null} where the owners could not be read in time
     * @param bounds of the pod's namespace
     */
    public record Surroundings(
            String namespace,
            @Nullable JobService service,
            @Nullable OwnerSpecs job,
            ContainerBounds bounds) {}

    public Injection(AdmissionSettings settings) {
        this.settings = settings;
    }

    /** @param pod as the API server sent it; it is not changed */
    public AdmissionDecision of(ObjectNode pod, Surroundings around) {
        try {
            LaunchRequest request = LaunchRequest.of(annotations(pod));
            if (request == null || isInjected(pod)) {
                return AdmissionDecision.ALLOWED;
            }
            ObjectNode changed = pod.deepCopy();
            List<String> warnings = List.of();
            if (request.mode() == LaunchRequest.Mode.DIRECT && request.pmix()) {
                warnings = direct(changed, request, around);
            } else if (request.mode() == LaunchRequest.Mode.ENV && request.environment() && request.devices()) {
                warnings = EnvironmentInjection.prepare(changed, application(changed, request));
            }
            return AdmissionDecision.between(pod, changed, warnings);
        } catch (LaunchRequest.InvalidAnnotationException | DeniedException e) {
            return new AdmissionDecision.Denied(String.valueOf(e.getMessage()));
        }
    }

    static Map<String, String> annotations(JsonNode pod) {
        Map<String, String> annotations = new HashMap<>();
        pod.at("/metadata/annotations").properties().forEach(entry -> {
            if (entry.getValue().isTextual()) {
                annotations.put(entry.getKey(), entry.getValue().textValue());
            }
        });
        return annotations;
    }

    private static boolean isInjected(JsonNode pod) {
        for (String list : List.of("containers", "initContainers")) {
            for (JsonNode container : pod.path("spec").path(list)) {
                if (container.path("name").asText().equals(LaunchApi.PMIXD_CONTAINER)) {
                    return true;
                }
            }
        }
        return false;
    }

    private List<String> direct(ObjectNode pod, LaunchRequest request, Surroundings around) throws DeniedException {
        ObjectNode application = application(pod, request);
        List<String> warnings = new ArrayList<>();
        Launchable.check(pod, application, request, around.job(), warnings);
        JobService service = around.service();
        if (service == null && !request.required()) {
            return List.of();
        }
        if (service == null) {
            throw new DeniedException(
                    "the operator has no certificate yet that this pod's PMIx server could trust: try again in a moment");
        }
        ObjectNode spec = pod.withObject("spec");
        ObjectNode server = PmixdContainer.of(spec, request, service, settings.pmixd());
        long ranks = jobRanks(request, around.job());
        ObjectNode resources = PmixdResources.of(spec, ranks, settings.pmixd(), around.bounds());
        // Before what the image would be started with.
        server.putArray("args")
                .add("-Xmx" + PmixdResources.heapMebibytes(ranks, resources) + "m")
                .add(PmixdContainer.MAIN);
        if (resources != null) {
            PmixdResources.slowness(resources).ifPresent(warnings::add);
            server.set("resources", resources);
        }
        pod.withObject("/metadata/labels").put(LaunchApi.LAUNCH, LaunchApi.DIRECT);
        ObjectNode annotations = pod.withObject("/metadata/annotations");
        if (!annotations.has(DEFAULT_CONTAINER)) {
            // Else kubectl logs would show the PMIx server's, which is the first container.
            annotations.set(DEFAULT_CONTAINER, application.path("name"));
        }
        if (!warnings.isEmpty()) {
            // Controllers make pods, and show nobody the warnings of an answer.
            annotations.put(LaunchApi.WARNINGS, String.join("\n", warnings));
        }
        PmixdContainer.addVolumes(spec.withArray("volumes"));
        if (application.path("command").isEmpty()) {
            FixedRankInjection.add(pod, application, server, around.namespace(), settings.pmixd());
        } else {
            PmixdContainer.installLauncher(server);
            launch(pod, application, request);
            spec.withArray("containers").insert(0, server);
        }
        return warnings;
    }

    private long jobRanks(LaunchRequest request, @Nullable OwnerSpecs job) {
        return job == null
                ? Math.max(settings.pmixd().ranksAssumed(), request.ranksPerPod())
                : job.ranks(request.ranksPerPod());
    }

    private void launch(ObjectNode pod, ObjectNode application, LaunchRequest request) {
        boolean needsSharedMemory = request.ranksPerPod() > 1 && !hasSharedMemory(pod, application);
        ArrayNode command = JSON.arrayNode()
                .add(PmixdContainer.LAUNCHER)
                .add("--ranks")
                .add(Integer.toString(request.ranksPerPod()))
                .add("--");
        application.path("command").forEach(command::add);
        application.path("args").forEach(command::add);
        application.set("command", command);
        application.remove("args");
        ArrayNode mounts = application.withArray("volumeMounts");
        mounts.add(PmixdContainer.mount(PmixdContainer.RUN_VOLUME, PmixdContainer.RUN_PATH));
        if (needsSharedMemory) {
            int mebibytes = request.ranksPerPod() * settings.sharedMemory().mebibytesPerRank();
            pod.withArray("/spec/volumes").add(PmixdContainer.memory(SHARED_MEMORY_VOLUME, mebibytes));
            mounts.add(PmixdContainer.mount(SHARED_MEMORY_VOLUME, SHARED_MEMORY_PATH));
        }
    }

    private static boolean hasSharedMemory(JsonNode pod, JsonNode container) {
        // With the host's IPC namespace it is the host's.
        if (pod.at("/spec/hostIPC").asBoolean()) {
            return true;
        }
        for (JsonNode mount : container.path("volumeMounts")) {
            // No regular expression: /+$ takes hours on a path of many slashes, which nobody has checked yet.
            String path = mount.path("mountPath").asText();
            if (path.startsWith(SHARED_MEMORY_PATH)
                    && path.chars().skip(SHARED_MEMORY_PATH.length()).allMatch(c -> c == '/')) {
                return true;
            }
        }
        return false;
    }

    /** The container that runs the ranks. */
    private static ObjectNode application(ObjectNode pod, LaunchRequest request) throws DeniedException {
        String wanted = request.container();
        // Whoever injects a container of his own says with this one which is the user's.
        String named = wanted != null
                ? wanted
                : pod.at("/metadata/annotations").path(DEFAULT_CONTAINER).asText();
        JsonNode containers = pod.at("/spec/containers");
        for (JsonNode container : containers) {
            if (container.path("name").asText().equals(named) && container instanceof ObjectNode found) {
                return found;
            }
        }
        if (wanted != null) {
            throw new DeniedException("the annotation " + LaunchApi.CONTAINER + " names \"" + wanted
                    + "\", and the pod has no container of that name: name one of spec.containers");
        }
        if (containers.path(0) instanceof ObjectNode first) {
            return first;
        }
        throw new DeniedException("the pod has no container: write one into spec.containers");
    }
}
