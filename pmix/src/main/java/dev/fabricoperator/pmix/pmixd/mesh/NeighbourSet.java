/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import dev.fabricoperator.protocol.job.MeshShape;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pods that one pod is connected to. */
final class NeighbourSet {
    static final class Neighbour {
        final int pod;
        final ArrayDeque<byte[]> unsent = new ArrayDeque<>();

        @Nullable
        Link link;
        /** It has left or is lost; nothing more is sent to it. */
        boolean gone;

        /** It has asked for the map and not been given it. */
        boolean wantsMap;

        String lastFailure = "no answer to its connection requests";

        private Neighbour(int pod) {
            this.pod = pod;
        }
    }

    private final int parentPod;
    private final int firstChild;
    /** Children, then the parent; the root's parent is pod -1, which is never connected. */
    private final List<Neighbour> neighbours;

    private NeighbourSet(int parentPod, int firstChild, List<Neighbour> neighbours) {
        this.parentPod = parentPod;
        this.firstChild = firstChild;
        this.neighbours = neighbours;
    }

    static NeighbourSet of(MeshShape shape, int self) {
        List<Neighbour> neighbours = new ArrayList<>();
        for (int child = shape.firstChild(self); child < shape.endOfChildren(self); child++) {
            neighbours.add(new Neighbour(child));
        }
        neighbours.add(new Neighbour(shape.parent(self)));
        return new NeighbourSet(shape.parent(self), shape.firstChild(self), neighbours);
    }

    List<Neighbour> all() {
        return neighbours;
    }

    Neighbour parent() {
        return neighbours.getLast();
    }

    /** @param pod the parent or a child */
    Neighbour at(int pod) {
        return pod == parentPod ? parent() : neighbours.get(pod - firstChild);
    }

    @Nullable
    Neighbour of(Link link) {
        for (Neighbour neighbour : neighbours) {
            if (neighbour.link == link) {
                return neighbour;
            }
        }
        return null;
    }

    boolean allChildrenHaveLeft() {
        for (int i = 0; i < neighbours.size() - 1; i++) {
            if (!neighbours.get(i).gone) {
                return false;
            }
        }
        return true;
    }
}
