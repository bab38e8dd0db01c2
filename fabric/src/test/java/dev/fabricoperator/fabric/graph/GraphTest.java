/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class GraphTest {
    /** @param rows the neighbours of each node */
    private record Rows(List<TreeSet<Integer>> rows, int[] first, int[] neighbors) implements Graph {
        /** Sparse enough that there are several parts, trees and rings. */
        static Rows random(long seed, int size) {
            Random random = new Random(seed);
            List<TreeSet<Integer>> rows = new ArrayList<>();
            for (int node = 0; node < size; node++) {
                rows.add(new TreeSet<>());
            }
            for (int i = random.nextInt(2 * size); i > 0; i--) {
                int one = random.nextInt(size);
                int other = random.nextInt(size);
                if (one != other) {
                    rows.get(one).add(other);
                    rows.get(other).add(one);
                }
            }
            int[] first = new int[size + 1];
            Arrays.setAll(
                    first,
                    at -> rows.subList(0, at).stream().mapToInt(TreeSet::size).sum());
            int[] neighbors = rows.stream()
                    .flatMap(TreeSet::stream)
                    .mapToInt(node -> node)
                    .toArray();
            return new Rows(rows, first, neighbors);
        }

        @Override
        public int size() {
            return rows.size();
        }

        @Override
        public int firstNeighbor(int node) {
            return first[node];
        }

        @Override
        public int neighbor(int entry) {
            return neighbors[entry];
        }

        /** Hops between each two nodes, by shortening ways until none gets shorter; the number of nodes where there is no way. */
        int[][] hops(IntPredicate passes) {
            int[][] hops = new int[size()][size()];
            for (int one = 0; one < size(); one++) {
                for (int other = 0; other < size(); other++) {
                    boolean next = rows.get(one).contains(other) && passes.test(one) && passes.test(other);
                    hops[one][other] = one == other ? 0 : next ? 1 : size();
                }
            }
            for (int by = 0; by < size(); by++) {
                for (int one = 0; one < size(); one++) {
                    for (int other = 0; other < size(); other++) {
                        hops[one][other] = Math.min(hops[one][other], hops[one][by] + hops[by][other]);
                    }
                }
            }
            return hops;
        }
    }

    @Property(tries = 200)
    void entriesAreThoseOfNeighboursAlone(@ForAll long seed, @ForAll @IntRange(min = 1, max = 30) int size) {
        Rows graph = Rows.random(seed, size);
        for (int one = 0; one < size; one++) {
            assertThat(graph.degree(one)).isEqualTo(graph.rows.get(one).size());
            for (int other = 0; other < size; other++) {
                int entry = graph.entry(one, other);
                assertThat(graph.joined(one, other))
                        .isEqualTo(graph.rows.get(one).contains(other));
                assertThat(entry >= 0 ? graph.neighbor(entry) : -1).isEqualTo(entry >= 0 ? other : -1);
            }
        }
    }

    @Property(tries = 200)
    void levelsAreHopsFromTheNearestStart(@ForAll long seed, @ForAll @IntRange(min = 1, max = 30) int size) {
        Rows graph = Rows.random(seed, size);
        int[][] hops = graph.hops(node -> true);
        IntPredicate start = node -> node % 5 == 1;
        BreadthFirst search = BreadthFirst.from(graph, start);
        for (int node = 0; node < size; node++) {
            int at = node;
            int nearest = IntStream.range(0, size)
                    .filter(start)
                    .map(from -> hops[from][at])
                    .min()
                    .orElse(size);
            assertThat(search.level(node)).isEqualTo(nearest >= size ? -1 : nearest + 1);
            int parent = search.parent(node);
            assertThat(parent < 0).isEqualTo(nearest == 0 || nearest >= size);
            assertThat(parent < 0 || graph.joined(node, parent) && search.level(parent) == nearest)
                    .isTrue();
        }
        assertThat(Arrays.stream(search.order()).map(search::level)).isSorted().doesNotContain(-1);
    }

    @Property(tries = 200)
    void componentsAreWhatOpenWaysJoin(@ForAll long seed, @ForAll @IntRange(min = 1, max = 30) int size) {
        Rows graph = Rows.random(seed, size);
        IntPredicate passes = node -> node % 3 != 0;
        int[][] hops = graph.hops(passes);
        int[] found = BreadthFirst.components(graph, passes, (from, entry) -> passes.test(graph.neighbor(entry)));
        for (int node = 0; node < size; node++) {
            int at = node;
            int smallest = IntStream.range(0, size)
                    .filter(other -> hops[at][other] < size)
                    .min()
                    .orElseThrow();
            assertThat(found[node]).isEqualTo(passes.test(node) ? smallest : -1);
        }
    }

    /** A node is of the 2-core if taking away nodes with less than two neighbours, in any order, does not reach it. */
    @Property(tries = 200)
    void theTwoCoreIsWhatHasTwoNeighboursWithinIt(@ForAll long seed, @ForAll @IntRange(min = 1, max = 30) int size) {
        Rows graph = Rows.random(seed, size);
        TreeSet<Integer> left = new TreeSet<>();
        for (int node = 0; node < size; node++) {
            left.add(node);
        }
        while (left.removeIf(
                node -> graph.rows.get(node).stream().filter(left::contains).count() < 2)) {}

        TwoCore core = TwoCore.of(graph);
        TreeSet<Integer> taken = new TreeSet<>();
        for (int i = core.taken().length - 1; i >= 0; i--) {
            int node = core.taken()[i];
            int up = core.up()[node];
            assertThat(up < 0 || graph.joined(node, up) && (left.contains(up) || taken.contains(up)))
                    .isTrue();
            taken.add(node);
        }
        int[] holders = TwoCore.holders(graph);
        for (int node = 0; node < size; node++) {
            assertThat(taken.contains(node)).isEqualTo(!left.contains(node) && graph.degree(node) > 0);
            assertThat(
                            left.isEmpty()
                                    ? holders[node] == node
                                    : left.contains(node) == (holders[node] == node)
                                            || graph.degree(node) == 0
                                            || !left.contains(holders[node]))
                    .isTrue();
        }
    }
}
