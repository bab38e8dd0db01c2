/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fabricoperator.crds.JobChannel;
import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.launch.DirectJob;
import dev.fabricoperator.operator.launch.JobLevels;
import dev.fabricoperator.operator.launch.LaunchRequest;
import dev.fabricoperator.operator.launch.PodTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes of a pod that asks for a launch one whose ranks can be started: a pure function of the pod and of what is known of its surroundings.
 *
 * <p>A pod that was changed already stays as it is, however often the API server asks.
 */
public final class Injection {
    private final AdmissionSettings settings;
    private final ImageVolumeShape imageVolume;
    private final PodShape secondContainer;

    /**
     * What a pod alone does not say.
     *
     * @param namespace of the pod
     * @param service {@code null} while there is no certificate that pods could be told to trust
     * @param job {@code null} where the pod's owner is gone
     * @param bounds of the pod's namespace
     * @param requiresPmix whether the namespace has {@link LaunchApi#LABEL_REQUIRE_PMIX}
     * @param fabrics all of the cluster
     * @param imageVolumes whether the cluster's pods can have them
     */
    public record Surroundings(
            String namespace,
            @Nullable JobService service,
            @Nullable DirectJob job,
            ContainerBounds bounds,
            boolean requiresPmix,
            List<FabricFacts> fabrics,
            ImageVolumeSupport imageVolumes) {
        Surroundings of(JsonNode pod) {
            return new Surroundings(namespace, service, job, bounds, requiresPmix, fabrics, imageVolumes.of(pod));
        }
    }

    public Injection(AdmissionSettings settings) {
        this.settings = settings;
        this.imageVolume = new ImageVolumeShape(settings);
        this.secondContainer = new SecondContainerShape(settings);
    }

    /** @param pod as the API server sent it; it is not changed */
    public AdmissionDecision of(ObjectNode pod, Surroundings around) {
        try {
            boolean isInjected = isInjected(pod);
            ObjectNode changed = pod.deepCopy();
            List<String> warnings = new ArrayList<>();
            if (!isInjected) {
                warnings.addAll(MpiJobInjection.followTemplate(changed, around.job()));
            }
            Map<String, String> annotations = LaunchRequest.annotations(changed);
            LaunchRequest request = LaunchRequest.of(annotations);
            // Also of a launcher whose MPIJob asks for nothing by now, as its pod did.
            if (request != null || LaunchRequest.annotations(pod).containsKey(LaunchApi.LAUNCH)) {
                lift(changed);
            }
            if (request == null || isInjected) {
                return AdmissionDecision.between(pod, changed, List.of());
            }
            Surroundings here = around.of(pod);
            warnings.addAll(LaunchRequest.warnings(annotations));
            List<JobChannel> channels = JobLevels.channels(
                    JobLevels.menu(here.fabrics(), request.fabrics()), request.levels(), here.namespace());
            String refused = JobLevels.refusal(channels);
            if (refused != null) {
                throw new DeniedException(refused);
            }
            if (request.mode() == LaunchRequest.Mode.DIRECT && request.pmix()) {
                warnings.addAll(direct(changed, request, here));
            } else if (request.mode() == LaunchRequest.Mode.ENV && request.environment()) {
                warnings.addAll(environment(changed, request, here, channels));
            }
            annotate(changed, warnings);
            // Who is asked again has warned already.
            return AdmissionDecision.between(pod, changed, changed.equals(pod) ? List.of() : warnings);
        } catch (LaunchRequest.InvalidAnnotationException | DeniedException e) {
            return new AdmissionDecision.Denied(String.valueOf(e.getMessage()));
        }
    }

    /** The gate that a pod's template may have, so that no scheduler binds a pod that was not shown to this operator. See docs/adr/0026. */
    private static void lift(ObjectNode pod) {
        if (pod.at("/spec/schedulingGates") instanceof ArrayNode gates) {
            // Taken out one by one, each would move all behind it.
            List<JsonNode> others = new ArrayList<>();
            gates.forEach(gate -> {
                if (!LaunchApi.LAUNCH.equals(gate.path("name").textValue())) {
                    others.add(gate);
                }
            });
            gates.removeAll().addAll(others);
            if (gates.isEmpty()) {
                pod.withObject("/spec").remove("schedulingGates");
            }
        }
    }

    private static boolean isInjected(JsonNode pod) {
        for (String list : List.of("containers", "initContainers")) {
            for (JsonNode container : pod.path("spec").path(list)) {
                if (SecondContainerShape.isIn(container) || ImageVolumeShape.isIn(container)) {
                    return true;
                }
            }
        }
        return false;
    }

    private List<String> direct(ObjectNode pod, LaunchRequest request, Surroundings around) throws DeniedException {
        ObjectNode application = application(pod, request);
        List<String> warnings = new ArrayList<>();
        MpiJobInjection.Role role = MpiJobInjection.role(pod);
        if (role == null) {
            Launchable.check(pod, application, request, around, warnings);
        } else {
            Launchable.checkMpiJob(pod, request, around.job());
        }
        JobService service = around.service();
        if (service == null && !request.required()) {
            return List.of();
        }
        if (service == null) {
            throw new DeniedException(
                    "the operator has no certificate yet that this pod's PMIx server could trust: try again in a moment");
        }
        DirectJob mpiJob = role == null ? null : around.job();
        if (role != null && mpiJob != null) {
            warnings.addAll(mpiJob(pod, application, role, request, mpiJob, service, around));
            return warnings;
        }
        String why = whySecondContainer(application, around.imageVolumes());
        PodShape shape = imageVolume;
        if (why != null) {
            shape = secondContainer;
            pod.withObject("/metadata/annotations").put(LaunchApi.SECOND_CONTAINER, why);
        }
        long ranks = jobRanks(request, around.job());
        DirectJob job = around.job();
        warnings.addAll(shape.add(
                pod,
                application,
                new PodShape.Server(
                        request, service, around.namespace(), ranks, around.bounds(), job, around.requiresPmix())));
        if (!application.path("command").path(0).asText().isEmpty()) {
            // The job waits as long as its first template says, which may not be this pod's.
            warnings.addAll(Probes.hold(application, job == null ? request.assemblyTimeout() : job.assemblyTimeout()));
        }
        if (request.ranksPerPod() > 1) {
            int mebibytes = request.ranksPerPod() * settings.sharedMemory().mebibytesPerRank();
            PodVolumes.addSharedMemory(pod, application, mebibytes);
        }
        pod.withObject("/metadata/labels").put(LaunchApi.LAUNCH, LaunchApi.DIRECT);
        return warnings;
    }

    private List<String> mpiJob(
            ObjectNode pod,
            ObjectNode application,
            MpiJobInjection.Role role,
            LaunchRequest request,
            DirectJob job,
            JobService service,
            Surroundings around)
            throws DeniedException {
        List<String> warnings = MpiJobInjection.prepareDirect(
                pod,
                application,
                role,
                job,
                new PodShape.Server(
                        request, service, around.namespace(), job.ranks(), around.bounds(), job, around.requiresPmix()),
                imageVolume,
                around.imageVolumes());
        int slots = job.apps().getLast().ranksPerPod();
        if (role == MpiJobInjection.Role.WORKER) {
            application
                    .withArray("env")
                    .addObject()
                    .put("name", ImageVolumeShape.PREFIX + "FABRIC_SERVES_RUNS")
                    .put("value", "true");
            if (slots > 1) {
                PodVolumes.addSharedMemory(
                        pod, application, slots * settings.sharedMemory().mebibytesPerRank());
            }
        }
        pod.withObject("/metadata/labels").put(LaunchApi.LAUNCH, LaunchApi.DIRECT);
        return warnings;
    }

    private List<String> environment(
            ObjectNode pod, LaunchRequest request, Surroundings around, List<JobChannel> channels)
            throws DeniedException {
        ObjectNode application = application(pod, request);
        List<String> warnings = new ArrayList<>();
        Map<String, String> levels = JobLevels.variables(channels);
        if (request.devices() || !levels.isEmpty()) {
            warnings.addAll(EnvironmentInjection.prepare(pod, application, levels, request.devices()));
        }
        MpiJobInjection.Role role = MpiJobInjection.roleBySsh(pod, application);
        if (role != null) {
            warnings.addAll(MpiJobInjection.prepare(pod, application, role, request, imageVolume, around));
        }
        return warnings;
    }

    /** Controllers make pods, and show nobody the warnings of an answer. */
    private static void annotate(ObjectNode pod, List<String> warnings) {
        if (!warnings.isEmpty()) {
            pod.withObject("/metadata/annotations").put(LaunchApi.WARNINGS, String.join("\n", warnings));
        }
    }

    /** {@code null} where the server can be started in the container of the ranks. */
    private static @Nullable String whySecondContainer(JsonNode application, ImageVolumeSupport imageVolumes) {
        if (application.path("command").isEmpty()) {
            return "container " + application.path("name").asText()
                    + " has no command, so that no launcher can start what its image starts: write the command of the image into"
                    + " spec.containers[].command, and there is one container";
        }
        return imageVolumes.usable() ? null : imageVolumes.sentence();
    }

    private long jobRanks(LaunchRequest request, @Nullable DirectJob job) {
        return Math.max(request.ranksPerPod(), job == null ? settings.pmixd().ranksAssumed() : job.ranks());
    }

    /** The container that runs the ranks. */
    private static ObjectNode application(ObjectNode pod, LaunchRequest request) throws DeniedException {
        if (PodTemplate.application(pod, request) instanceof ObjectNode found) {
            return found;
        }
        String wanted = request.container();
        if (wanted != null) {
            throw new DeniedException("the annotation " + LaunchApi.CONTAINER + " names \"" + wanted
                    + "\", and the pod has no container of that name: name one of spec.containers");
        }
        throw new DeniedException("the pod has no container: write one into spec.containers");
    }
}
