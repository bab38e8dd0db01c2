/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The agents of the cluster and the nodes that they watch.
 *
 * @param expected agents that the DaemonSet wants, {@code null} where there is no DaemonSet or nobody has counted yet
 * @param agents by node, whether a Ready agent runs there
 * @param notReady nodes whose agent exists and is not Ready, sorted, each with why, where that is known
 * @param nodes by name
 * @param silent nodes with a Ready agent of which no device is there, sorted
 */
public record AgentFleet(
        @Nullable Integer expected,
        Map<String, Boolean> agents,
        List<String> notReady,
        Map<String, NodeFacts> nodes,
        List<String> silent) {

    /** What is known of the devices of one node. */
    public enum Watch {
        /** A Ready agent on a Ready node, or nothing that speaks against it. */
        Current,
        NodeNotReady,
        AgentNotReady
    }

    public AgentFleet {
        agents = Map.copyOf(agents);
        notReady = List.copyOf(notReady);
        silent = List.copyOf(silent);
    }

    /** Several DaemonSets (one per kind of node) count together. */
    static AgentFleet of(
            List<AgentSetFacts> sets, List<AgentFacts> pods, List<NodeFacts> nodes, List<DeviceFacts> devices) {
        Integer expected = sets.isEmpty() ? null : Integer.valueOf(0);
        for (AgentSetFacts set : sets) {
            expected = expected == null || set.desired() == null ? null : Integer.valueOf(expected + set.desired());
        }
        Map<String, Boolean> agents = HashMap.newHashMap(pods.size());
        Map<String, String> obstacles = new HashMap<>();
        for (AgentFacts pod : pods) {
            if (!pod.nodeName().isEmpty()) {
                agents.merge(pod.nodeName(), pod.ready(), Boolean::logicalOr);
                if (pod.obstacle() != null) {
                    // Of several pods of one node always the same one.
                    obstacles.merge(pod.nodeName(), pod.obstacle(), (a, b) -> a.compareTo(b) <= 0 ? a : b);
                }
            }
        }
        List<String> notReady = agents.keySet().stream()
                .filter(node -> !agents.getOrDefault(node, false))
                .sorted()
                .map(node -> obstacles.containsKey(node) ? node + " (" + obstacles.get(node) + ")" : node)
                .toList();
        Map<String, NodeFacts> byName = HashMap.newHashMap(nodes.size());
        nodes.forEach(node -> byName.put(node.name(), node));
        Set<String> silent = new TreeSet<>();
        agents.forEach((node, ready) -> {
            if (ready) {
                silent.add(node);
            }
        });
        devices.forEach(device -> silent.remove(device.nodeName()));
        return new AgentFleet(expected, agents, notReady, byName, List.copyOf(silent));
    }

    /** Agents that are Ready. */
    public int ready() {
        return (int) agents.values().stream().filter(ready -> ready).count();
    }

    /**
     * What may be said of the devices of a node. Where a DaemonSet exists, a node without an agent counts as one whose agent
     * is not Ready; where none exists, silence says nothing.
     */
    public Watch watch(String nodeName) {
        NodeFacts node = nodes.get(nodeName);
        if (node != null && !node.ready()) {
            return Watch.NodeNotReady;
        }
        Boolean ready = agents.get(nodeName);
        boolean silent = ready == null ? expected != null : !ready;
        return silent ? Watch.AgentNotReady : Watch.Current;
    }
}
