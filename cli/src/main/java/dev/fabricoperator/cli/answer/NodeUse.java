/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.answer;

import java.util.Map;
import java.util.Set;

/**
 * What keeps pods of another job off nodes. Those in neither map are free.
 *
 * @param all nodes of the cluster
 * @param notReady those that the kubelet has not reported as Ready
 * @param cordoned those that are Ready, and on which nothing is scheduled
 * @param jobsOf by node the jobs with a pod on it that has not ended, as {@code namespace/name}
 */
public record NodeUse(Set<String> all, Set<String> notReady, Set<String> cordoned, Map<String, Set<String>> jobsOf) {
    public NodeUse {
        all = Set.copyOf(all);
        notReady = Set.copyOf(notReady);
        cordoned = Set.copyOf(cordoned);
        jobsOf = Map.copyOf(jobsOf);
    }

    /** Nobody has put anything on them yet, as on nodes of a file. */
    public static NodeUse none(Set<String> nodes) {
        return new NodeUse(nodes, Set.of(), Set.of(), Map.of());
    }

    /** A node that a fabric has and the cluster has not any more is not ready. */
    boolean isReady(String node) {
        return all.contains(node) && !notReady.contains(node);
    }

    boolean isFree(String node) {
        return isReady(node) && !cordoned.contains(node) && !jobsOf.containsKey(node);
    }
}
