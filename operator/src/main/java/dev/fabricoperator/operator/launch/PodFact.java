/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import dev.fabricoperator.crds.LaunchApi;
import dev.fabricoperator.operator.cluster.Fact;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodIP;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a pod that asks for a direct launch.
 *
 * @param createdAt RFC 3339, whole seconds
 * @param nodeName {@code null} before it is bound
 * @param addresses as its status has them, none before the kubelet has told
 * @param labels those that the Job controller gives
 * @param controller what made it, {@code null} for a pod made by hand
 * @param direct whether its own annotation or label asks for a direct launch
 * @param preparation what the preparer of its host says, {@code null} as long as it says nothing
 * @param secondContainer why its PMIx server has a container of its own, {@code null} where it has none
 */
public record PodFact(
        String namespace,
        String name,
        String uid,
        String resourceVersion,
        String createdAt,
        @Nullable String nodeName,
        List<String> addresses,
        Map<String, String> labels,
        @Nullable OwnerRef controller,
        boolean direct,
        @Nullable HostPrepared preparation,
        @Nullable String secondContainer,
        Life life)
        implements Fact {
    private static final int LONGEST_SENTENCE = 512;

    /**
     * Whether a pod's host is prepared for its ranks, for good or not.
     *
     * @param failure why it cannot be, {@code null} where it is
     */
    public record HostPrepared(@Nullable String failure) {
        static @Nullable HostPrepared of(Pod pod) {
            List<PodCondition> conditions =
                    pod.getStatus() == null ? null : pod.getStatus().getConditions();
            for (PodCondition each : conditions == null ? List.<PodCondition>of() : conditions) {
                if (LaunchApi.HOST_PREPARED.equals(each.getType()) && "True".equals(each.getStatus())) {
                    return new HostPrepared(null);
                }
                if (LaunchApi.HOST_PREPARED.equals(each.getType()) && "False".equals(each.getStatus())) {
                    String message = Objects.requireNonNullElse(each.getMessage(), "");
                    return new HostPrepared(
                            message.isBlank() ? "its preparer does not say why" : bounded(message.strip()));
                }
            }
            return null;
        }
    }

    /** How far a pod has come. */
    public enum Life {
        Alive,
        /** It is being deleted. */
        Ending,
        Succeeded,
        Failed;

        public boolean isOver() {
            return this == Succeeded || this == Failed;
        }
    }

    public PodFact {
        addresses = List.copyOf(addresses);
        labels = Map.copyOf(labels);
    }

    public static PodFact of(Pod pod) {
        ObjectMeta metadata = pod.getMetadata();
        Map<String, String> all = Objects.requireNonNullElse(metadata.getLabels(), Map.of());
        Map<String, String> annotations = Objects.requireNonNullElse(metadata.getAnnotations(), Map.of());
        Map<String, String> labels = new HashMap<>();
        for (String key : IndexedJobs.MADE_LABELS) {
            String value = all.get(key);
            if (value != null) {
                labels.put(key, value);
            }
        }
        boolean direct = LaunchRequest.isDirect(all) || LaunchRequest.isDirect(annotations);
        return new PodFact(
                metadata.getNamespace(),
                metadata.getName(),
                Objects.requireNonNullElse(metadata.getUid(), ""),
                Objects.requireNonNullElse(metadata.getResourceVersion(), ""),
                Objects.requireNonNullElse(metadata.getCreationTimestamp(), ""),
                pod.getSpec() == null ? null : pod.getSpec().getNodeName(),
                addresses(pod),
                labels,
                OwnerRef.controller(metadata),
                direct,
                HostPrepared.of(pod),
                secondContainer(annotations),
                life(pod));
    }

    /** The pods of a job say the same; whoever else wrote it there may have written anything. */
    private static @Nullable String secondContainer(Map<String, String> annotations) {
        String why = annotations.get(LaunchApi.SECOND_CONTAINER);
        return why == null ? null : bounded(why);
    }

    private static String bounded(String sentence) {
        return sentence.length() <= LONGEST_SENTENCE ? sentence : sentence.substring(0, LONGEST_SENTENCE);
    }

    private static List<String> addresses(Pod pod) {
        List<PodIP> all = pod.getStatus() == null ? null : pod.getStatus().getPodIPs();
        return all == null ? List.of() : all.stream().map(PodIP::getIp).toList();
    }

    private static Life life(Pod pod) {
        String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        if ("Succeeded".equals(phase)) {
            return Life.Succeeded;
        }
        if ("Failed".equals(phase)) {
            return Life.Failed;
        }
        return pod.getMetadata().getDeletionTimestamp() == null ? Life.Alive : Life.Ending;
    }
}
