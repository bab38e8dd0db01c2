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
 * Matches the parts of a fabric with the labels of the generation before by the members that they have in common: the
 * pair with the largest overlap first. A part without a match is new and takes the lowest free label.
 */
final class LabelMatching {
    /** A switch weighs more than all of its devices: hosts move more often than switches do. */
    static final long OF_SWITCH = 1 << 20;

    static final long OF_DEVICE = 1;

    private record Overlap(int part, int label, long weight) {}

    private final Map<Long, Long> weights = new HashMap<>();

    /** A member of {@code part} had {@code label}. */
    void add(int part, int label, long weight) {
        weights.merge((long) part << 32 | label, weight, Long::sum);
    }

    /** Label of each of the parts 0 to {@code parts} exclusive, no two the same. Ties go to the smaller label, then part. */
    int[] labels(int parts) {
        List<Overlap> overlaps = new ArrayList<>(weights.size());
        weights.forEach((key, count) -> overlaps.add(new Overlap((int) (key >>> 32), key.intValue(), count)));
        overlaps.sort(Comparator.comparingLong((Overlap o) -> -o.weight())
                .thenComparingInt(Overlap::label)
                .thenComparingInt(Overlap::part));
        int[] labels = new int[parts];
        Arrays.fill(labels, -1);
        BitSet taken = new BitSet();
        for (Overlap overlap : overlaps) {
            if (labels[overlap.part()] < 0 && !taken.get(overlap.label())) {
                labels[overlap.part()] = overlap.label();
                taken.set(overlap.label());
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
