/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import dev.fabricoperator.pmix.pmixd.mesh.NeighbourSet.Neighbour;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The job's map on its way down the tree: a pod without it asks its parent as soon as they are connected, and is answered as
 * soon as the parent has it.
 */
final class MapForwarding {
    static final byte WANT_MAP = 2;
    static final byte MAP = 3;

    private final NeighbourSet neighbours;
    private final boolean wanted;
    private byte @Nullable [] message;

    MapForwarding(NeighbourSet neighbours, boolean wanted) {
        this.neighbours = neighbours;
        this.wanted = wanted;
    }

    void opened(Neighbour neighbour) {
        if (wanted && neighbour == neighbours.parent() && neighbour.link != null) {
            neighbour.link.send(new byte[] {WANT_MAP});
        }
    }

    void asked(Neighbour child) {
        child.wantsMap = true;
        answer(child);
    }

    /** Without the byte that says what it is. */
    static byte[] mapIn(byte[] message) {
        return Arrays.copyOfRange(message, 1, message.length);
    }

    /** Kept only where there are pods that may ask for it. */
    void know(byte[] encodedMap) {
        if (neighbours.all().size() > 1) {
            byte[] made = new byte[1 + encodedMap.length];
            made[0] = MAP;
            System.arraycopy(encodedMap, 0, made, 1, encodedMap.length);
            message = made;
            neighbours.all().forEach(this::answer);
        }
    }

    private void answer(Neighbour neighbour) {
        byte[] known = message;
        if (known != null && neighbour.wantsMap && neighbour.link != null) {
            neighbour.wantsMap = false;
            neighbour.link.send(known);
        }
    }
}
