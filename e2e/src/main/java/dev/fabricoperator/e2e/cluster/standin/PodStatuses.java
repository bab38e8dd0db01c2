/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster.standin;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodFluent;
import java.util.List;

/** The statuses that a kubelet reports for a pod, as far as controllers look at them. Pure. */
final class PodStatuses {
    private PodStatuses() {}

    static Pod running(Pod pod, String ip, boolean ready, String now) {
        List<ContainerStatus> containers = pod.getSpec().getContainers().stream()
                .map(container -> container(container)
                        .withReady(ready)
                        .withStarted(true)
                        .withNewState()
                        .withNewRunning()
                        .withStartedAt(now)
                        .endRunning()
                        .endState()
                        .build())
                .toList();
        return status(pod, ip, "Running", ready, now, containers);
    }

    static Pod failedToStart(Pod pod, String ip, String message, String now) {
        List<ContainerStatus> containers = pod.getSpec().getContainers().stream()
                .map(container -> container(container)
                        .withReady(false)
                        .withStarted(false)
                        .withNewState()
                        .withNewWaiting(message, "RunContainerError")
                        .endState()
                        .build())
                .toList();
        return status(pod, ip, "Pending", false, now, containers);
    }

    private static ContainerStatusBuilder container(Container container) {
        return new ContainerStatusBuilder()
                .withName(container.getName())
                .withImage(container.getImage())
                .withImageID("")
                .withRestartCount(0);
    }

    private static Pod status(
            Pod pod, String ip, String phase, boolean ready, String now, List<ContainerStatus> containers) {
        PodFluent<?>.StatusNested<PodBuilder> status = new PodBuilder()
                .withNewMetadata()
                .withNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName())
                .withUid(pod.getMetadata().getUid())
                .endMetadata()
                .withNewStatus();
        return status.withPhase(phase)
                .withHostIP(ip)
                .withPodIP(ip)
                .addNewPodIP(ip)
                .withStartTime(now)
                .withConditions(
                        condition("PodScheduled", true, now),
                        condition("Initialized", true, now),
                        condition("ContainersReady", ready, now),
                        condition("Ready", ready, now))
                .withContainerStatuses(containers)
                .endStatus()
                .build();
    }

    private static PodCondition condition(String type, boolean holds, String now) {
        return new PodConditionBuilder()
                .withType(type)
                .withStatus(holds ? "True" : "False")
                .withLastTransitionTime(now)
                .build();
    }
}
