/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a dump in its order, and by GUID: an open hash table with linear probing, never more than half full. The
 * factor that scatters GUIDs is another one for each dump, so that nobody can make a dump whose GUIDs collide.
 */
final class Nodes {
    private final List<Node> inOrder = new ArrayList<>();
    private final long scatter = new SplittableRandom().nextLong() | 1;
    private @Nullable Node[] table = new Node[1 << 10];

    List<Node> inOrder() {
        return inOrder;
    }

    int size() {
        return inOrder.size();
    }

    @Nullable
    Node get(long guid) {
        int at = place(guid);
        for (Node node = table[at]; node != null; node = table[at]) {
            if (node.guid == guid) {
                return node;
            }
            at = at + 1 & table.length - 1;
        }
        return null;
    }

    /** Adds a node whose GUID no other one has. */
    void add(Node node) {
        inOrder.add(node);
        if (2 * inOrder.size() > table.length) {
            table = new Node[2 * table.length];
            inOrder.forEach(this::put);
        } else {
            put(node);
        }
    }

    private void put(Node node) {
        int at = place(node.guid);
        while (table[at] != null) {
            at = at + 1 & table.length - 1;
        }
        table[at] = node;
    }

    private int place(long guid) {
        return (int) (guid * scatter >>> Long.numberOfLeadingZeros(table.length) + 1);
    }

    /** Ascending by GUID, as its digits sort. */
    Node[] ascending() {
        Node[] nodes = inOrder.toArray(Node[]::new);
        Arrays.sort(nodes, (one, other) -> Long.compareUnsigned(one.guid, other.guid));
        return nodes;
    }
}
