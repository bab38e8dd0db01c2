/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * StatefulSets with {@code podManagementPolicy: Parallel}: programs that serve until they are deleted, since Kubernetes starts the containers
 * of their pods again however they end. A pod's place stands in its name, by which its controller itself finds it, and which nobody can change,
 * as they can labels.
 */
final class StatefulSets implements PodOwnerKind {
    static final StatefulSets KIND = new StatefulSets();

    private static final String PARALLEL = "Parallel";

    private StatefulSets() {}

    @Override
    public String group() {
        return "apps";
    }

    @Override
    public String kind() {
        return "StatefulSet";
    }

    @Override
    public String plural() {
        return "statefulsets";
    }

    @Override
    public boolean isService() {
        return true;
    }

    @Override
    public String suffix() {
        return "statefulset";
    }

    @Override
    public PodOwner podOwner(OwnerRef reference, JsonNode object) {
        return new PodOwner(reference, pod -> {
            int index = PodOwnerKind.indexBehind(reference.name() + "-", pod.name());
            return index < 0 ? null : new PodSlot(reference.jobKey(pod.namespace()), reference, null, 0, index);
        });
    }

    @Override
    public @Nullable PodOwner podOwner(OwnerRef reference, JsonNode object, OwnerReader.Lookup others)
            throws IOException, InterruptedException {
        PodOwner own = podOwner(reference, object);
        OwnerRef above = OwnerRef.controller(object);
        return above == null ? own : LeaderWorkerSets.podOwner(reference, above, own, others);
    }

    @Override
    public @Nullable String refusal(OwnerRef owner, JsonNode pod) {
        String name = pod.at("/metadata/name").asText();
        return PodOwnerKind.indexBehind(owner.name() + "-", name) >= 0
                ? null
                : "the pod has no place in " + owner.words() + ": it is called " + (name.isEmpty() ? "nothing" : name)
                        + ", and Kubernetes calls the pods of a StatefulSet NAME-INDEX";
    }

    @Override
    public DirectJob job(String namespace, OwnerRef owner, JsonNode object) {
        JsonNode spec = object.path("spec");
        PodTemplate template = PodTemplate.of(spec.path("template"));
        LaunchRequest request = template.request();
        return new DirectJob(
                        namespace,
                        owner,
                        List.of(new DirectJob.App(owner.name(), 1, replicas(spec), request.ranksPerPod())),
                        request.assemblyTimeout(),
                        request.rankOrder(),
                        refusal(owner, object, template))
                .asking(request);
    }

    private static int replicas(JsonNode spec) {
        return spec.path("replicas").asInt(1);
    }

    private static @Nullable String refusal(OwnerRef owner, JsonNode object, PodTemplate template) {
        String words = owner.words();
        JsonNode spec = object.path("spec");
        OwnerRef above = OwnerRef.controller(object);
        if (above != null && (OwnerKind.of(above) == LeaderWorkerSets.KIND || above.isPod())) {
            return words + " says that " + above.words()
                    + " controls it, and is none that a LeaderWorkerSet has made: remove it from metadata.ownerReferences";
        }
        if (template.problem() != null) {
            return words + ": " + template.problem();
        }
        String policy = spec.path("podManagementPolicy").asText("OrderedReady");
        if (!policy.equals(PARALLEL)) {
            return words + " makes its pods one after the other, and all ranks of a job start at one time: make it anew"
                    + " with spec.podManagementPolicy: " + PARALLEL;
        }
        int start = spec.at("/ordinals/start").asInt();
        return start == 0
                ? null
                : words + " numbers its pods from " + start + ", and places in a job begin with 0: leave out"
                        + " spec.ordinals.start";
    }

    /** One that is told to have no pods makes none until it is told otherwise, and then there is another attempt. */
    @Override
    public @Nullable JobEnd end(OwnerRef owner, JsonNode object) {
        return replicas(object.path("spec")) == 0 ? new JobEnd(false, owner.words() + " has spec.replicas: 0") : null;
    }
}
