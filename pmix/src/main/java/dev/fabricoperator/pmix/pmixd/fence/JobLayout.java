/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

import dev.fabricoperator.protocol.job.JobMap;
import dev.fabricoperator.protocol.job.JobPod;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** Which rank is in which pod. Pods are in the order of their first ranks, without gaps; some may have no ranks. */
public final class JobLayout {
    private final String nspace;
    private final int[] firstRanks;
    private final int size;

    private JobLayout(String nspace, int[] firstRanks, int size) {
        this.nspace = nspace;
        this.firstRanks = firstRanks;
        this.size = size;
    }

    public static JobLayout of(JobMap map) {
        List<JobPod> pods = map.pods();
        int[] firstRanks = new int[pods.size()];
        int next = 0;
        for (int pod = 0; pod < firstRanks.length; pod++) {
            JobPod each = pods.get(pod);
            if (each.firstRank() != next || each.rankCount() < 0) {
                throw new IllegalArgumentException("pod " + pod + " starts at rank " + each.firstRank() + " with "
                        + each.rankCount() + " ranks where " + next + " is next");
            }
            firstRanks[pod] = next;
            next += each.rankCount();
        }
        return new JobLayout(map.nspace(), firstRanks, next);
    }

    public String nspace() {
        return nspace;
    }

    public int pods() {
        return firstRanks.length;
    }

    /** Number of ranks. */
    public int size() {
        return size;
    }

    /** @return -1 for what is no rank of this job */
    public int podOf(int rank) {
        if (rank < 0 || rank >= size) {
            return -1;
        }
        int pod = Arrays.binarySearch(firstRanks, rank);
        if (pod < 0) {
            return -pod - 2;
        }
        // Of pods that begin with one rank the last one has it.
        while (pod + 1 < firstRanks.length && firstRanks[pod + 1] == rank) {
            pod++;
        }
        return pod;
    }

    int firstRank(int pod) {
        return firstRanks[pod];
    }

    /** Number of ranks of a pod. */
    int ranksOf(int pod) {
        return (pod + 1 < firstRanks.length ? firstRanks[pod + 1] : size) - firstRanks[pod];
    }

    /** @param ranks ascending */
    int[] inPod(int[] ranks, int pod) {
        int from = 0;
        while (from < ranks.length && ranks[from] < firstRanks[pod]) {
            from++;
        }
        int to = from;
        while (to < ranks.length && ranks[to] < firstRanks[pod] + ranksOf(pod)) {
            to++;
        }
        return Arrays.copyOfRange(ranks, from, to);
    }

    /** @param ranks all of this job */
    BitSet podsOf(int[] ranks) {
        BitSet pods = new BitSet(firstRanks.length);
        for (int rank : ranks) {
            pods.set(podOf(rank));
        }
        return pods;
    }
}
