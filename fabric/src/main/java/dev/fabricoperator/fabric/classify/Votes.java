/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who of today is who of yesterday: members of a part vote for the label that they remember. Parts take labels by most
 * votes; a part for which no label is left is new and takes the lowest free one.
 */
final class Votes {
    /** A switch outvotes all of its devices: hosts move more often than switches do. */
    static final long OF_SWITCH = 1 << 20;

    static final long OF_DEVICE = 1;

    private record Ballot(int part, int label, long votes) {}

    private final Map<Long, Long> votes = new HashMap<>();

    void add(int part, int label, long weight) {
        votes.merge((long) part << 32 | label, weight, Long::sum);
    }

    /** Label of each of the parts 0 to {@code parts} exclusive, no two the same. Ties go to the smaller label, then part. */
    int[] labels(int parts) {
        List<Ballot> ballots = new ArrayList<>(votes.size());
        votes.forEach((key, count) -> ballots.add(new Ballot((int) (key >>> 32), key.intValue(), count)));
        ballots.sort(Comparator.comparingLong((Ballot b) -> -b.votes())
                .thenComparingInt(Ballot::label)
                .thenComparingInt(Ballot::part));
        int[] labels = new int[parts];
        Arrays.fill(labels, -1);
        BitSet taken = new BitSet();
        for (Ballot ballot : ballots) {
            if (labels[ballot.part()] < 0 && !taken.get(ballot.label())) {
                labels[ballot.part()] = ballot.label();
                taken.set(ballot.label());
            }
        }
        for (int part = 0; part < parts; part++) {
            if (labels[part] < 0) {
                labels[part] = taken.nextClearBit(0);
                taken.set(labels[part]);
            }
        }
        return labels;
    }
}
