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
            return switch (request.mode()) {
                case DIRECT -> request.pmix() ? direct(pod, request, around) : AdmissionDecision.ALLOWED;
                case ENV ->
                    request.environment() && request.devices()
                            ? EnvironmentInjection.prepare(pod, application(pod, request))
                            : AdmissionDecision.ALLOWED;
            };
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

    private AdmissionDecision direct(ObjectNode pod, LaunchRequest request, Surroundings around)
            throws DeniedException {
        int index = application(pod, request);
        JsonNode application = pod.at("/spec/containers/" + index);
        List<String> warnings = new ArrayList<>();
        Launchable.check(pod, application, request, around.job(), warnings);
        JobService service = around.service();
        if (service == null && !request.required()) {
            return AdmissionDecision.ALLOWED;
        }
        if (service == null) {
            throw new DeniedException(
                    "the operator has no certificate yet that this pod's PMIx server could trust: try again in a moment");
        }
        ObjectPatch patch = new ObjectPatch(pod);
        patch.set("/metadata/labels", LaunchApi.LAUNCH, JSON.textNode(LaunchApi.DIRECT));
        if (!pod.at("/metadata/annotations").has(DEFAULT_CONTAINER)) {
            // Else kubectl logs would show the PMIx server's, which is the first container.
            patch.set("/metadata/annotations", DEFAULT_CONTAINER, application.path("name"));
        }
        PmixdContainer.addVolumes(patch);
        ObjectNode resources =
                PmixdResources.of(pod.path("spec"), jobRanks(request, around.job()), settings.pmixd(), around.bounds());
        PmixdResources.slowness(resources).ifPresent(warnings::add);
        if (application.path("command").isEmpty()) {
            ObjectNode sidecar = PmixdContainer.common(pod.path("spec"), request, service, settings.pmixd(), resources);
            String path = "/spec/containers/" + index;
            FixedRankInjection.add(patch, sidecar, path, around.namespace(), settings.pmixd());
        } else {
            ObjectNode container =
                    PmixdContainer.ordinary(pod.path("spec"), request, service, settings.pmixd(), resources);
            patch.insertFirst("/spec", "containers", container);
            launch(patch, "/spec/containers/" + (index + 1), request);
        }
        note(patch, warnings);
        return new AdmissionDecision.Patched(patch.operations(), warnings);
    }

    private long jobRanks(LaunchRequest request, @Nullable OwnerSpecs job) {
        return job == null
                ? Math.max(settings.pmixd().ranksAssumed(), request.ranksPerPod())
                : job.pods() * request.ranksPerPod();
    }

    private void launch(ObjectPatch patch, String path, LaunchRequest request) {
        JsonNode container = patch.object().at(path);
        ArrayNode command = JSON.arrayNode()
                .add(PmixdContainer.LAUNCHER)
                .add("--ranks")
                .add(Integer.toString(request.ranksPerPod()))
                .add("--");
        container.path("command").forEach(command::add);
        container.path("args").forEach(command::add);
        boolean needsSharedMemory = request.ranksPerPod() > 1 && !hasSharedMemory(patch.object(), container);
        patch.set(path, "command", command);
        patch.remove(path, "args");
        patch.append(path, "volumeMounts", PmixdContainer.mount(PmixdContainer.RUN_VOLUME, PmixdContainer.RUN_PATH));
        if (needsSharedMemory) {
            int mebibytes = request.ranksPerPod() * settings.sharedMemory().mebibytesPerRank();
            ObjectNode volume = JSON.objectNode().put("name", SHARED_MEMORY_VOLUME);
            volume.putObject("emptyDir").put("medium", "Memory").put("sizeLimit", mebibytes + "Mi");
            patch.append("/spec", "volumes", volume);
            patch.append(path, "volumeMounts", PmixdContainer.mount(SHARED_MEMORY_VOLUME, SHARED_MEMORY_PATH));
        }
    }

    private static boolean hasSharedMemory(JsonNode pod, JsonNode container) {
        // With the host's IPC namespace it is the host's.
        if (pod.at("/spec/hostIPC").asBoolean()) {
            return true;
        }
        for (JsonNode mount : container.path("volumeMounts")) {
            if (mount.path("mountPath").asText().replaceAll("/+$", "").equals(SHARED_MEMORY_PATH)) {
                return true;
            }
        }
        return false;
    }

    /** Index of the container that runs the ranks. */
    private static int application(JsonNode pod, LaunchRequest request) throws DeniedException {
        JsonNode annotations = pod.at("/metadata/annotations");
        String wanted = request.container();
        JsonNode containers = pod.at("/spec/containers");
        // Whoever injects a container of his own says with this one which is the user's.
        String named =
                wanted != null ? wanted : annotations.path(DEFAULT_CONTAINER).asText();
        for (int i = 0; i < containers.size(); i++) {
            if (containers.path(i).path("name").asText().equals(named)) {
                return i;
            }
        }
        if (wanted != null) {
            throw new DeniedException("the annotation " + LaunchApi.CONTAINER + " names \"" + wanted
                    + "\", and the pod has no container of that name: name one of spec.containers");
        }
        return 0;
    }

    /** Controllers make pods, and show nobody the warnings of an answer: so they stand on the pod too. */
    private static void note(ObjectPatch patch, List<String> warnings) {
        if (!warnings.isEmpty()) {
            patch.set("/metadata/annotations", LaunchApi.WARNINGS, JSON.textNode(String.join("\n", warnings)));
        }
    }
}
