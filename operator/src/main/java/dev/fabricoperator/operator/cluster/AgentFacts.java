/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of an agent's pod.
 *
 * @param nodeName that it is bound to, or that its DaemonSet has made it for; empty where neither is known
 * @param ready the pod's condition of that type; the agent is ready after its first complete read is published
 * @param obstacle why it does not run, in the words of the scheduler or the kubelet; {@code null} where they say nothing
 */
public record AgentFacts(
        String namespace,
        String name,
        String uid,
        String resourceVersion,
        String nodeName,
        boolean ready,
        @Nullable String obstacle)
        implements Fact {
    private static final int LONGEST_OBSTACLE = 160;
    private static final Pattern OF_NODES = Pattern.compile("^\\d+/\\d+ nodes are available: ");
    /** What follows says whether others' pods would be taken for it; plugins before that one may add words of their own. */
    private static final Pattern PREEMPTION = Pattern.compile("\\. (?:[^.]*, )?preemption: ");

    private static final Pattern NUMBER_OF_NODES = Pattern.compile("^\\d+ (?:node\\(s\\) )?");
    /** What the scheduler says of all nodes but the one that the pod is for. */
    private static final Pattern OF_OTHER_NODES = Pattern.compile("(?i)node ?affinity");
    /** A container that is about to start. */
    private static final Set<String> ON_ITS_WAY = Set.of("ContainerCreating", "PodInitializing");

    public static AgentFacts of(Pod pod) {
        PodStatus status = Objects.requireNonNullElseGet(pod.getStatus(), PodStatus::new);
        boolean ready = pod.getMetadata().getDeletionTimestamp() == null
                && status.getConditions().stream()
                        .anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus()));
        return new AgentFacts(
                Objects.requireNonNullElse(pod.getMetadata().getNamespace(), ""),
                pod.getMetadata().getName(),
                Objects.requireNonNullElse(pod.getMetadata().getUid(), ""),
                Objects.requireNonNullElse(pod.getMetadata().getResourceVersion(), ""),
                node(pod.getSpec()).intern(),
                ready,
                ready || pod.getMetadata().getDeletionTimestamp() != null ? null : obstacle(status));
    }

    /** The controller of DaemonSets names the node of a pod in its affinity, and the scheduler binds it. */
    private static String node(@Nullable PodSpec spec) {
        if (spec == null) {
            return "";
        }
        if (spec.getNodeName() != null) {
            return spec.getNodeName();
        }
        return Optional.ofNullable(spec.getAffinity())
                .map(Affinity::getNodeAffinity)
                .map(NodeAffinity::getRequiredDuringSchedulingIgnoredDuringExecution)
                .map(NodeSelector::getNodeSelectorTerms)
                .orElse(List.of())
                .stream()
                .map(NodeSelectorTerm::getMatchFields)
                .flatMap(List::stream)
                .filter(field -> "metadata.name".equals(field.getKey()))
                .map(NodeSelectorRequirement::getValues)
                .flatMap(List::stream)
                .findFirst()
                .orElse("");
    }

    private static @Nullable String obstacle(PodStatus status) {
        Stream<String> unscheduled = status.getConditions().stream()
                .filter(c -> "PodScheduled".equals(c.getType()) && "False".equals(c.getStatus()))
                .map(c -> c.getMessage() == null ? c.getReason() : ofItsNode(c.getMessage()));
        Stream<String> rejected = Stream.ofNullable(status.getReason());
        Stream<String> waiting = Stream.concat(
                        status.getInitContainerStatuses().stream(), status.getContainerStatuses().stream())
                .map(AgentFacts::waiting);
        return Stream.of(unscheduled, rejected, waiting)
                .flatMap(words -> words)
                .filter(words -> words != null && !words.isEmpty() && !ON_ITS_WAY.contains(words))
                .findFirst()
                .map(words -> words.length() <= LONGEST_OBSTACLE ? words : words.substring(0, LONGEST_OBSTACLE) + "...")
                .orElse(null);
    }

    /** The same in all states that a container goes through again and again: each change is a new model, and a new status of each Fabric. */
    private static @Nullable String waiting(ContainerStatus container) {
        if (!Boolean.TRUE.equals(container.getReady())
                && Objects.requireNonNullElse(container.getRestartCount(), 0) > 1) {
            return "CrashLoopBackOff";
        }
        ContainerStateWaiting waiting =
                container.getState() == null ? null : container.getState().getWaiting();
        String reason = waiting == null ? null : waiting.getReason();
        return "ErrImagePull".equals(reason) ? "ImagePullBackOff" : reason;
    }

    /** Without what changes with each other node of the cluster. */
    private static String ofItsNode(String message) {
        String all = OF_NODES.matcher(message).replaceFirst("");
        Matcher preemption = PREEMPTION.matcher(all);
        String said = (preemption.find() ? all.substring(0, preemption.start()) : all).replaceFirst("\\.\\s*$", "");
        String own = Stream.of(said.split(", (?=\\d+ )"))
                .filter(each -> !OF_OTHER_NODES.matcher(each).find())
                .map(each -> NUMBER_OF_NODES.matcher(each).replaceFirst(""))
                .collect(Collectors.joining(", "));
        return own.isEmpty() ? said : own;
    }

    boolean meansTheSameAs(AgentFacts other) {
        return ready == other.ready && nodeName.equals(other.nodeName) && Objects.equals(obstacle, other.obstacle);
    }
}
