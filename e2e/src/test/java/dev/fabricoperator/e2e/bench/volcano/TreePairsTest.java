/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.volcano;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fabricoperator.e2e.volcano.TreeFabric;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TreePairsTest {
    private static final TreeFabric TREE = new TreeFabric(2, 3, 3);

    @Test
    void theMeanCountsCablesOfEachPair() {
        assertThat(TreePairs.mean(TREE, List.of(0, 1))).isEqualTo(2);
        assertThat(TreePairs.mean(TREE, List.of(0, 3))).isEqualTo(4);
        assertThat(TreePairs.mean(TREE, List.of(0, 9))).isEqualTo(6);
        assertThat(TreePairs.mean(TREE, List.of(0, 1, 9))).isCloseTo(14 / 3.0, within(1e-9));
    }

    @Test
    void noPlacementHasALowerMeanThanTheLeast() {
        Random random = new Random(1);
        for (int round = 0; round < 50; round++) {
            List<Integer> free = IntStream.range(0, TREE.nodes())
                    .filter(node -> random.nextInt(3) > 0)
                    .boxed()
                    .toList();
            int count = 2 + random.nextInt(4);
            if (free.size() >= count) {
                double least = Double.MAX_VALUE;
                for (int chosen = 0; chosen < 1 << free.size(); chosen++) {
                    if (Integer.bitCount(chosen) == count) {
                        least = Math.min(least, TreePairs.mean(TREE, of(free, chosen)));
                    }
                }
                assertThat(TreePairs.leastMean(TREE, free, count))
                        .as(free + ", " + count)
                        .isCloseTo(least, within(1e-9));
            }
        }
    }

    private static List<Integer> of(List<Integer> free, int chosen) {
        List<Integer> some = new ArrayList<>();
        for (int i = 0; i < free.size(); i++) {
            if ((chosen >> i & 1) == 1) {
                some.add(free.get(i));
            }
        }
        return some;
    }
}
