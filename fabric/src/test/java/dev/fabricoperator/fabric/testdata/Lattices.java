/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.testdata;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Lattices: nodes are switches in row-major order, the last axis running fastest. */
public final class Lattices {
    private Lattices() {}

    /** Each row a ring; a side of 2 is one bundle like any other. */
    public static Wiring torus(long seed, int hosts, int parallel, int... sides) {
        boolean[] wraps = new boolean[sides.length];
        java.util.Arrays.fill(wraps, true);
        return lattice(seed, hosts, parallel, sides, wraps);
    }

    /** Each row a chain. */
    public static Wiring mesh(long seed, int hosts, int parallel, int... sides) {
        return lattice(seed, hosts, parallel, sides, new boolean[sides.length]);
    }

    /** Rings where {@code wraps} says so, chains elsewhere. */
    public static Wiring lattice(long seed, int hosts, int parallel, int[] sides, boolean[] wraps) {
        Wiring wiring = new Wiring(seed);
        int[] nodes = wiring.nodes(size(sides));
        for (int node : nodes) {
            int stride = nodes.length;
            for (int axis = 0; axis < sides.length; axis++) {
                stride /= sides[axis];
                int at = node / stride % sides[axis];
                if (at + 1 < sides[axis]) {
                    wiring.cable(node, node + stride, parallel);
                } else if (wraps[axis] && sides[axis] > 2) {
                    wiring.cable(node, node - at * stride, parallel);
                }
            }
        }
        return withHosts(wiring, nodes.length, hosts);
    }

    /** Each row fully connected. */
    public static Wiring hyperX(long seed, int hosts, int parallel, int... sides) {
        Wiring wiring = new Wiring(seed);
        int[] nodes = wiring.nodes(size(sides));
        for (int node : nodes) {
            int stride = nodes.length;
            for (int axis = 0; axis < sides.length; axis++) {
                stride /= sides[axis];
                int at = node / stride % sides[axis];
                for (int other = at + 1; other < sides[axis]; other++) {
                    wiring.cable(node, node + (other - at) * stride, parallel);
                }
            }
        }
        return withHosts(wiring, nodes.length, hosts);
    }

    /** A random graph in which all switches have about {@code degree} neighbours. */
    public static Wiring regular(long seed, int switches, int degree, int hosts) {
        Random random = new Random(seed);
        Wiring wiring = new Wiring(seed);
        int[] nodes = wiring.nodes(switches);
        for (int round = 0; round < degree / 2; round++) {
            int[] order = random.ints(0, Integer.MAX_VALUE).limit(switches).toArray();
            Integer[] ring = new Integer[switches];
            java.util.Arrays.setAll(ring, i -> i);
            java.util.Arrays.sort(ring, java.util.Comparator.comparingInt(i -> order[i]));
            for (int i = 0; i < switches; i++) {
                wiring.cable(nodes[ring[i]], nodes[ring[(i + 1) % switches]], 1);
            }
        }
        return withHosts(wiring, switches, hosts);
    }

    /**
     * A random graph in which all switches have exactly {@code degree} neighbours: a ring with chords, of which pairs of
     * cables exchange their ends again and again. Dense ones are the complement of a sparse one.
     *
     * @param degree even where the number of switches is odd
     */
    public static Wiring exactlyRegular(long seed, int switches, int degree, int hosts) {
        boolean dense = 2 * degree > switches - 1;
        int chords = dense ? switches - 1 - degree : degree;
        boolean[][] joined = new boolean[switches][switches];
        List<int[]> edges = new ArrayList<>();
        for (int one = 0; one < switches; one++) {
            for (int step = 1; step <= chords / 2; step++) {
                join(joined, edges, one, (one + step) % switches);
            }
            if (chords % 2 == 1 && one < switches / 2) {
                join(joined, edges, one, one + switches / 2);
            }
        }
        Random random = new Random(seed);
        for (int i = 0; !edges.isEmpty() && i < 30 * edges.size(); i++) {
            int[] one = edges.get(random.nextInt(edges.size()));
            int[] other = edges.get(random.nextInt(edges.size()));
            boolean turned = random.nextBoolean();
            int near = turned ? other[1] : other[0];
            int far = turned ? other[0] : other[1];
            boolean apart = one[0] != near && one[0] != far && one[1] != near && one[1] != far;
            if (apart && !joined[one[0]][far] && !joined[near][one[1]]) {
                joined[one[0]][one[1]] = joined[one[1]][one[0]] = false;
                joined[near][far] = joined[far][near] = false;
                joined[one[0]][far] = joined[far][one[0]] = true;
                joined[near][one[1]] = joined[one[1]][near] = true;
                other[0] = near;
                other[1] = one[1];
                one[1] = far;
            }
        }
        Wiring wiring = new Wiring(seed);
        int[] nodes = wiring.nodes(switches);
        for (int one = 0; one < switches; one++) {
            for (int other = 0; other < one; other++) {
                if (joined[one][other] != dense) {
                    wiring.cable(nodes[one], nodes[other], 1);
                }
            }
        }
        return withHosts(wiring, switches, hosts);
    }

    private static void join(boolean[][] joined, List<int[]> edges, int one, int other) {
        if (!joined[one][other]) {
            joined[one][other] = joined[other][one] = true;
            edges.add(new int[] {one, other});
        }
    }

    /** A tree in which every switch hangs off a random earlier one. */
    public static Wiring tree(long seed, int switches, int hosts) {
        Random random = new Random(seed);
        Wiring wiring = new Wiring(seed);
        int[] nodes = wiring.nodes(switches);
        for (int node = 1; node < switches; node++) {
            wiring.cable(nodes[node], nodes[random.nextInt(node)], 1);
        }
        return withHosts(wiring, switches, hosts);
    }

    static Wiring withHosts(Wiring wiring, int switches, int hosts) {
        for (int node = 0; node < switches; node++) {
            for (int host = 0; host < hosts; host++) {
                wiring.device(node, "n" + node + "h" + host, "mlx5_0");
            }
        }
        return wiring;
    }

    private static int size(int[] sides) {
        int size = 1;
        for (int side : sides) {
            size *= side;
        }
        return size;
    }
}
