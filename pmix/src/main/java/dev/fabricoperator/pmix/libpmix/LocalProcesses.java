/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What is known of the processes of this pod, by their ranks. Of other pods' nothing is. From any thread. */
final class LocalProcesses {
    private final Map<Integer, Integer> pids = new ConcurrentHashMap<>();
    private final Set<Integer> connected = ConcurrentHashMap.newKeySet();

    void started(int rank, int pid) {
        pids.put(rank, pid);
    }

    void connected(int rank) {
        connected.add(rank);
    }

    void finalized(int rank) {
        connected.remove(rank);
    }

    void clear() {
        pids.clear();
        connected.clear();
    }

    /** As the pod's containers see it; 0 is unknown. */
    int pidOf(int rank) {
        return pids.getOrDefault(rank, 0);
    }

    boolean isConnected(int rank) {
        return connected.contains(rank);
    }
}
