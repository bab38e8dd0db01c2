/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.testdata;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Dragonflies: groups of switches that are joined to all other groups. Switches are numbered group by group. */
public final class Dragonflies {
    /** How the global links of a group are spread over the other groups. */
    public enum Arrangement {
        /** Link k of a group leads to group k, leaving out itself. */
        ABSOLUTE,
        /** Link k leads to the k-th next group. */
        RELATIVE,
        /** Neighbouring links lead to groups that are as far ahead as behind. */
        CIRCULANT,
        /** Any link leads anywhere, each pair of groups being joined equally often. */
        RANDOM
    }

    private Dragonflies() {}

    /**
     * Groups of {@code routers} that are fully connected, {@code global} links per router.
     *
     * @param groups at most {@code routers * global + 1}
     */
    public static Wiring canonical(
            long seed, int groups, int routers, int global, int hosts, int parallel, Arrangement arrangement) {
        int[] sizes = new int[groups];
        java.util.Arrays.fill(sizes, routers);
        return unequal(seed, sizes, global, hosts, parallel, arrangement);
    }

    /** As the canonical one, with a number of routers for each group. */
    public static Wiring unequal(long seed, int[] sizes, int global, int hosts, int parallel, Arrangement arrangement) {
        Wiring wiring = new Wiring(seed);
        List<int[]> groups = new ArrayList<>();
        for (int size : sizes) {
            int[] group = wiring.nodes(size);
            for (int one : group) {
                for (int other = one + 1; other < group[0] + size; other++) {
                    wiring.cable(one, other, parallel);
                }
            }
            groups.add(group);
        }
        joinGroups(wiring, groups, global, arrangement, new Random(seed));
        int switches = java.util.Arrays.stream(sizes).sum();
        return Lattices.withHosts(wiring, switches, hosts);
    }

    /** Groups of rows and columns, both fully connected; cables within a column are three. */
    public static Wiring rowsAndColumns(long seed, int groups, int rows, int columns, int global, int hosts) {
        Wiring wiring = new Wiring(seed);
        List<int[]> all = new ArrayList<>();
        for (int g = 0; g < groups; g++) {
            int[] group = wiring.nodes(rows * columns);
            for (int i = 0; i < group.length; i++) {
                for (int j = i + 1; j < group.length; j++) {
                    if (i / columns == j / columns) {
                        wiring.cable(group[i], group[j], 1);
                    } else if (i % columns == j % columns) {
                        wiring.cable(group[i], group[j], 3);
                    }
                }
            }
            all.add(group);
        }
        joinGroups(wiring, all, global, Arrangement.RANDOM, new Random(seed));
        return Lattices.withHosts(wiring, groups * rows * columns, hosts);
    }

    /** Groups of leaves and spines, {@code global} links per spine; leaves come first in each group. */
    public static Wiring plus(long seed, int groups, int leaves, int spines, int global, int hosts, int parallel) {
        Wiring wiring = new Wiring(seed);
        List<int[]> tops = new ArrayList<>();
        for (int g = 0; g < groups; g++) {
            int[] below = wiring.nodes(leaves);
            int[] above = wiring.nodes(spines);
            for (int leaf : below) {
                for (int spine : above) {
                    wiring.cable(leaf, spine, parallel);
                }
                for (int host = 0; host < hosts; host++) {
                    wiring.device(leaf, "n" + leaf + "h" + host, "mlx5_0");
                }
            }
            tops.add(above);
        }
        joinGroups(wiring, tops, global, Arrangement.RANDOM, new Random(seed));
        return wiring;
    }

    private static void joinGroups(
            Wiring wiring, List<int[]> groups, int global, Arrangement arrangement, Random random) {
        int count = groups.size();
        List<List<Integer>> free = new ArrayList<>();
        for (int[] group : groups) {
            List<Integer> ends = new ArrayList<>();
            for (int router : group) {
                ends.addAll(Collections.nCopies(global, router));
            }
            if (arrangement == Arrangement.RANDOM) {
                Collections.shuffle(ends, random);
            }
            free.add(ends);
        }
        int rounds = free.stream().mapToInt(List::size).min().orElse(0) / Math.max(1, count - 1);
        for (int round = 0; round < rounds; round++) {
            for (int one = 0; one < count; one++) {
                for (int other = one + 1; other < count; other++) {
                    int base = round * (count - 1);
                    wiring.cable(
                            free.get(one).get(base + link(arrangement, one, other, count)),
                            free.get(other).get(base + link(arrangement, other, one, count)),
                            1);
                }
            }
        }
    }

    /** Which of a group's links leads to another one. */
    private static int link(Arrangement arrangement, int from, int to, int count) {
        int ahead = Math.floorMod(to - from, count);
        return switch (arrangement) {
            case ABSOLUTE, RANDOM -> to < from ? to : to - 1;
            case RELATIVE -> ahead - 1;
            case CIRCULANT -> ahead <= count / 2 ? 2 * ahead - 2 : 2 * (count - ahead) - 1;
        };
    }
}
