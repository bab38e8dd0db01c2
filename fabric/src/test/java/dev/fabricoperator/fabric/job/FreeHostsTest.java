/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fabricoperator.fabric.tier.TierTree.Vertex;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FreeHostsTest {
    /** Two pods; the second is one leaf, which stands for it. */
    private static final List<Vertex> TREE = List.of(
            new Vertex("f-leaf-0", 1, "leaf", List.of(), List.of("a1", "a2", "a3", "a4")),
            new Vertex("f-leaf-1", 1, "leaf", List.of(), List.of("b1", "b2", "b3", "b4")),
            new Vertex("f-leaf-2", 1, "leaf", List.of(), List.of("c1", "c2", "c3")),
            new Vertex("f-pod-0", 2, "pod", List.of("f-leaf-0", "f-leaf-1"), List.of()),
            new Vertex("f", 3, "f", List.of("f-leaf-2", "f-pod-0"), List.of()));

    private static FreeHosts free(String... hosts) {
        return new FreeHosts(TREE, Set.of(hosts));
    }

    @Test
    void theLargestGangOfATierIsWhatIsFreeInItsRoomiestVertex() {
        FreeHosts free = free("a1", "b2", "b3", "c1", "c2");

        assertThat(free.tiers())
                .extracting(
                        FreeHosts.Tier::name,
                        tier -> tier.roomiest().name(),
                        FreeHosts.Tier::largest,
                        FreeHosts.Tier::parts)
                .containsExactly(tuple("leaf", "f-leaf-1", 2, 3), tuple("pod", "f-pod-0", 3, 2), tuple("f", "f", 5, 1));
    }

    @Test
    void aGangGoesToTheLowestTierWithRoomAndThereToTheVertexWithFewestFreeHosts() {
        FreeHosts free = free("a1", "a2", "a3", "a4", "b2", "b3", "c1", "c2", "c3");

        assertThat(name(free.room(2, 3))).isEqualTo("f-leaf-1");
        assertThat(name(free.room(3, 3))).isEqualTo("f-leaf-2");
        assertThat(name(free.room(5, 3))).isEqualTo("f-pod-0");
        assertThat(free.room(5, 1)).isNull();
        assertThat(free.room(10, 3)).isNull();
    }

    @Test
    void aGangThatFitsInNoLeafFillsTheLargestAndThenTheOneThatIsLeastTooLarge() {
        FreeHosts free = free("a1", "a2", "a3", "b2", "b3", "c1");
        Vertex whole = TREE.getLast();

        assertThat(free.taken(whole, 4)).containsExactly("a1", "a2", "a3", "b2");
        assertThat(free.taken(whole, 6)).containsExactly("a1", "a2", "a3", "b2", "b3", "c1");
        assertThat(free.taken(Objects.requireNonNull(free.room(1, 1)), 1)).containsExactly("c1");
    }

    @Test
    void whereAGangDoesNotFitTheVertexThatLacksFewestHostsIsNamedOfThoseThatAreLargeEnough() {
        FreeHosts free = free("a1", "b2", "b3", "c1", "c2", "c3");

        assertThat(name(free.nearestToRoom(1, 4))).isEqualTo("f-leaf-1");
        assertThat(free.nearestToRoom(1, 5)).isNull();
        assertThat(name(free.nearestToRoom(3, 11))).isEqualTo("f");
    }

    private static String name(@Nullable Vertex vertex) {
        return Objects.requireNonNull(vertex).name();
    }
}
