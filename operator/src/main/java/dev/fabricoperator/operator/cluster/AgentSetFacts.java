/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetStatus;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of the agents' DaemonSet.
 *
 * @param desired nodes that should run an agent; {@code null} until the controller of DaemonSets has looked at it
 */
public record AgentSetFacts(
        String namespace,
        String name,
        String uid,
        String resourceVersion,
        @Nullable Integer desired) implements Fact {

    public static AgentSetFacts of(DaemonSet set) {
        DaemonSetStatus status = set.getStatus();
        boolean counted = status != null
                && Objects.equals(
                        status.getObservedGeneration(), set.getMetadata().getGeneration());
        return new AgentSetFacts(
                Objects.requireNonNullElse(set.getMetadata().getNamespace(), ""),
                set.getMetadata().getName(),
                Objects.requireNonNullElse(set.getMetadata().getUid(), ""),
                Objects.requireNonNullElse(set.getMetadata().getResourceVersion(), ""),
                status != null && counted ? status.getDesiredNumberScheduled() : null);
    }

    boolean meansTheSameAs(AgentSetFacts other) {
        return Objects.equals(desired, other.desired);
    }
}
