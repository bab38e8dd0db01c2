/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.map;

/**
 * Maps as plain lists with everything written out, which libpmix 4.2 to 7.0 all read. A range such as {@code 0-1;2-3} in a
 * plain list yields wrong local peers in all of them, and 7.0 refuses {@code pmix[...]}.
 */
public final class MapWriter {
    private final StringBuilder nodes = new StringBuilder();
    private final StringBuilder ranks = new StringBuilder();

    /**
     * Adds a node, in the order of PMIX_NODEID.
     *
     * @param name without comma or semicolon
     * @param firstRank its ranks are {@code firstRank .. firstRank + count - 1}
     * @throws IllegalArgumentException if the name is empty or would be read as two, or there is no rank
     */
    public MapWriter add(String name, int firstRank, int count) {
        if (name.isEmpty() || name.indexOf(',') >= 0 || name.indexOf(';') >= 0) {
            throw new IllegalArgumentException("a node named \"" + name + "\"");
        }
        if (count < 1) {
            throw new IllegalArgumentException("node " + name + " has no rank");
        }
        if (!nodes.isEmpty()) {
            nodes.append(',');
            ranks.append(';');
        }
        nodes.append(name);
        appendRanks(ranks, firstRank, count);
        return this;
    }

    /** Appends {@code count} ranks, separated by commas. */
    public static void appendRanks(StringBuilder list, int firstRank, int count) {
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                list.append(',');
            }
            list.append(firstRank + i);
        }
    }

    /** PMIX_NODE_MAP: {@code a,b}. */
    public String nodeMap() {
        return nodes.toString();
    }

    /** PMIX_PROC_MAP: {@code 0,1;2,3}. */
    public String processMap() {
        return ranks.toString();
    }
}
