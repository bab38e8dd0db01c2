/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import dev.fabricoperator.fabric.cabling.HeapBudget;
import dev.fabricoperator.fabric.cabling.NodeNameMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a dump in its order, and by GUID: an open hash table with linear probing, never more than half full. The
 * factor that scatters GUIDs is another one for each dump, so that nobody can make a dump whose GUIDs collide.
 */
final class Nodes {
    /** Several times the largest fabrics there are; keeps what is derived from a hostile dump within the memory. */
    private static final int MAX_NODES = 1 << 18;

    private static final int MAX_SWITCHES = 1 << 14;

    /** IBA: NodeInfo NumPorts has eight bits, 255 is the permissive port number. */
    static final int MAX_PORT = 254;

    private final String file;
    private final BoundedLines lines;
    private final NodeNameMap names;
    private final HeapBudget budget;
    private final Map<String, String> shared = new HashMap<>();
    private int switches;
    private final List<Node> inOrder = new ArrayList<>();
    private final long scatter = new SplittableRandom().nextLong() | 1;
    private @Nullable Node[] table = new Node[1 << 10];

    /** @param lines those that describe the nodes */
    Nodes(String file, BoundedLines lines, NodeNameMap names) {
        this.file = file;
        this.lines = lines;
        this.names = names;
        budget = new HeapBudget(file);
    }

    /** What the site calls the node, else what it calls itself. */
    @Nullable
    String description(long guid, @Nullable String own) {
        String name = names.of(guid);
        return name == null ? own : name;
    }

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

    /**
     * The node that the line describes, {@code null} for a new one.
     *
     * @throws BadInputException if no node can be so, or this one was something else before
     */
    @Nullable
    Node known(Node.Kind kind, long guid, int portCount) throws BadInputException {
        if (portCount > MAX_PORT) {
            throw lines.bad("a node of " + portCount + " ports; InfiniBand has at most " + MAX_PORT);
        }
        if (guid == 0) {
            throw lines.bad("a node whose GUID is zero");
        }
        Node known = get(guid);
        if (known != null && (known.kind != kind || known.portCount != portCount)) {
            throw lines.bad("node " + known.id + " was something else on line " + known.line);
        }
        return known;
    }

    /**
     * Adds a cable.
     *
     * @return the line on which it was described already, 0 where it was not
     * @throws BadInputException if its port had another one, or there is no memory for it
     */
    int addCable(Node node, Node.Cable cable) throws BadInputException {
        Node.Cable known = node.putIfAbsent(cable);
        if (known == null) {
            budget.spend(lines.number(), HeapBudget.BYTES_OF_CABLE);
            return 0;
        }
        if (!known.leadsTo(cable.peer, cable.peerPort)) {
            throw lines.bad("port " + cable.port + " of " + node.id + " had another cable on line " + known.line);
        }
        return known.line;
    }

    /**
     * Adds a node whose GUID no other one has.
     *
     * @throws BadInputException if there are too many, or they take too much memory
     */
    void add(Node node) throws BadInputException {
        inOrder.add(node);
        budget.spend(lines.number(), HeapBudget.BYTES_OF_NODE + 2 * HeapBudget.ofText(node.description));
        switches += node.kind == Node.Kind.SWITCH ? 1 : 0;
        if (switches > MAX_SWITCHES || inOrder.size() > MAX_NODES) {
            throw lines.bad("more than " + MAX_SWITCHES + " switches or " + MAX_NODES + " nodes");
        }
        if (2 * inOrder.size() > table.length) {
            table = new Node[2 * table.length];
            inOrder.forEach(this::put);
        } else {
            put(node);
        }
    }

    /** One string for all records that say the same. */
    String shared(String id) {
        return shared.computeIfAbsent(id, known -> known);
    }

    BadInputException bad(int line, String wrong) {
        return new BadInputException(file, line, wrong);
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
