/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

import java.util.BitSet;

/**
 * Who is connected to whom: up to {@value #STAR_PODS} pods a star around pod 0, above that a tree in which every pod has
 * up to {@value #CHILDREN} children. A pure function of the number of pods, so that nobody needs to be told.
 */
public final class MeshShape {
    /** In a star a fence takes two hops; the centre writes once to every pod, which is cheap up to here. */
    static final int STAR_PODS = 32;

    static final int CHILDREN = 16;

    private final int pods;
    private final int children;

    public MeshShape(int pods) {
        if (pods < 1) {
            throw new IllegalArgumentException("a job of " + pods + " pods");
        }
        this.pods = pods;
        this.children = pods <= STAR_PODS ? STAR_PODS : CHILDREN;
    }

    public int pods() {
        return pods;
    }

    /** Of the root: -1. */
    public int parent(int pod) {
        return pod == 0 ? -1 : (pod - 1) / children;
    }

    public int firstChild(int pod) {
        return (int) Math.min(pods, (long) pod * children + 1);
    }

    /** One behind the last child; equal to {@link #firstChild} where there is none. */
    public int endOfChildren(int pod) {
        return (int) Math.min(pods, (long) pod * children + 1 + children);
    }

    /** The neighbour through which {@code from} reaches {@code to}; cost: the depth of the tree. */
    public int nextHop(int from, int to) {
        int step = to;
        while (step > from) {
            int above = parent(step);
            if (above == from) {
                return step;
            }
            step = above;
        }
        return parent(from);
    }

    /** Whether {@code pod} is {@code top} or below it. */
    public boolean isBelow(int pod, int top) {
        int step = pod;
        while (step > top) {
            step = parent(step);
        }
        return step == top;
    }

    /** Those of {@code pods} that are {@code top} or below it. */
    public BitSet below(BitSet pods, int top) {
        BitSet below = new BitSet();
        for (int pod = pods.nextSetBit(0); pod >= 0; pod = pods.nextSetBit(pod + 1)) {
            if (isBelow(pod, top)) {
                below.set(pod);
            }
        }
        return below;
    }
}
