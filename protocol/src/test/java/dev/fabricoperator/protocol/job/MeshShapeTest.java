/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class MeshShapeTest {
    @Property(tries = 200)
    void everyPodReachesEveryOtherByNextHopsAndNoWayIsLongerThanTheTreeIsDeep(
            @ForAll @IntRange(min = 1, max = 700) int pods,
            @ForAll @IntRange(max = 699) int a,
            @ForAll @IntRange(max = 699) int b) {
        MeshShape shape = new MeshShape(pods);
        int at = a % pods;
        int to = b % pods;
        int hops = 0;
        while (at != to) {
            at = shape.nextHop(at, to);
            hops++;
            assertThat(hops).isLessThanOrEqualTo(pods <= 32 ? 2 : 6);
        }
    }

    @Property(tries = 200)
    void parentsAndChildrenAgree(@ForAll @IntRange(min = 1, max = 700) int pods) {
        MeshShape shape = new MeshShape(pods);
        for (int pod = 0; pod < pods; pod++) {
            for (int child = shape.firstChild(pod); child < shape.endOfChildren(pod); child++) {
                assertThat(shape.parent(child)).isEqualTo(pod);
            }
            assertThat(pod == 0 || shape.parent(pod) < pod).isTrue();
        }
    }

    @Test
    void thirtyTwoPodsAreAStarAndThirtyThreeAreATree() {
        MeshShape star = new MeshShape(32);
        assertThat(star.firstChild(0)).isEqualTo(1);
        assertThat(star.endOfChildren(0)).isEqualTo(32);
        assertThat(star.endOfChildren(1)).isEqualTo(star.firstChild(1));
        MeshShape tree = new MeshShape(33);
        assertThat(tree.endOfChildren(0)).isEqualTo(17);
        assertThat(tree.parent(32)).isEqualTo(1);
        BitSet all = new BitSet();
        all.set(0, 33);
        assertThat(tree.below(all, 1).cardinality()).isEqualTo(17);
        assertThat(tree.below(all, 2).cardinality()).isEqualTo(1);
    }
}
