/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.traffic;

import dev.fabricoperator.operator.launch.OwnerRef;
import dev.fabricoperator.operator.launch.PodFact;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Which nodes have pods of which directly launched job, by what the API server says of pods. Every replica knows all of them. */
@ApplicationScoped
public class JobsOnNodes {
    /** By UID. */
    private final Map<String, Placed> pods = new HashMap<>();

    /**
     * A job.
     *
     * @param name of what controls its pods
     */
    public record Name(String namespace, String name) implements Comparable<Name> {
        @Override
        public int compareTo(Name other) {
            int first = namespace.compareTo(other.namespace);
            return first != 0 ? first : name.compareTo(other.name);
        }
    }

    private record Placed(Name job, Name pod, String node, boolean isService) {}

    /** Kinds of what controls pods that no FabricJob has the name of. */
    private static final Set<String> SERVICES = Set.of("ReplicaSet", "StatefulSet", "DaemonSet");

    /** As a {@code FactStore} tells it. */
    public synchronized void seen(@Nullable PodFact before, @Nullable PodFact after) {
        if (before != null) {
            pods.remove(before.uid());
        }
        OwnerRef controller = after == null || after.life().isOver() ? null : after.controller();
        String node = after == null ? null : after.nodeName();
        if (after != null && controller != null && node != null) {
            pods.put(
                    after.uid(),
                    new Placed(
                            new Name(after.namespace(), controller.name()),
                            new Name(after.namespace(), after.name()),
                            node,
                            SERVICES.contains(controller.kind())));
        }
    }

    /**
     * Nodes of each job. O(pods).
     *
     * @param jobOfPod by name of the pod, those of which a better name than that of what controls them is known
     */
    public synchronized SortedMap<Name, SortedSet<String>> all(Map<Name, Name> jobOfPod) {
        SortedMap<Name, SortedSet<String>> all = new TreeMap<>();
        pods.values()
                .forEach(pod -> all.computeIfAbsent(jobOfPod.getOrDefault(pod.pod(), pod.job()), any -> new TreeSet<>())
                        .add(pod.node()));
        return all;
    }

    /** Names that no FabricJob has, since something else that controls pods has them. O(pods). */
    synchronized Set<Name> services() {
        Set<Name> services = new HashSet<>();
        pods.values().stream().filter(Placed::isService).forEach(pod -> services.add(pod.job()));
        return services;
    }

    /** Pods that have not ended. O(pods). */
    synchronized Set<Name> running() {
        Set<Name> running = new HashSet<>();
        pods.values().forEach(pod -> running.add(pod.pod()));
        return running;
    }
}
