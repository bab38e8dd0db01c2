/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.util.List;
import java.util.Objects;

/**
 * What is kept of an agent's pod.
 *
 * @param nodeName empty while the pod is not bound
 * @param ready the pod's condition of that type; the agent is ready after its first complete read is published
 */
public record AgentFacts(
        String namespace, String name, String uid, String resourceVersion, String nodeName, boolean ready)
        implements Fact {

    public static AgentFacts of(Pod pod) {
        List<PodCondition> conditions =
                pod.getStatus() == null ? List.of() : pod.getStatus().getConditions();
        String node = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
        return new AgentFacts(
                Objects.requireNonNullElse(pod.getMetadata().getNamespace(), ""),
                pod.getMetadata().getName(),
                Objects.requireNonNullElse(pod.getMetadata().getUid(), ""),
                Objects.requireNonNullElse(pod.getMetadata().getResourceVersion(), ""),
                node == null ? "" : node.intern(),
                pod.getMetadata().getDeletionTimestamp() == null
                        && conditions.stream()
                                .anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus())));
    }

    boolean meansTheSameAs(AgentFacts other) {
        return ready == other.ready && nodeName.equals(other.nodeName);
    }
}
