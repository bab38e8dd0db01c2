/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class DisjointSetsTest {
    /** Against labels that are written anew at each join. */
    @Property(tries = 200)
    void numbersAreJoinedAsPairsSayAndTheSmallestStandsForThem(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 60) int size) {
        Random random = new Random(seed);
        DisjointSets sets = new DisjointSets(size);
        int[] labels = new int[size];
        Arrays.setAll(labels, at -> at);
        for (int i = random.nextInt(2 * size); i > 0; i--) {
            int one = random.nextInt(size);
            int other = random.nextInt(size);
            int from = Math.max(labels[one], labels[other]);
            int to = Math.min(labels[one], labels[other]);

            assertThat(sets.areJoined(one, other)).isEqualTo(from == to);
            assertThat(sets.join(one, other)).isEqualTo(from != to);

            Arrays.setAll(labels, at -> labels[at] == from ? to : labels[at]);
        }

        for (int at = 0; at < size; at++) {
            assertThat(sets.root(at)).isEqualTo(labels[at]);
        }
    }
}
