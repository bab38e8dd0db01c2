/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What changed between two descriptions of one fabric. Nodes are switches and adapters by id; a link reads
 * {@code id[port]<->id[port]} with the smaller end first, and counts where at least one of its ends names it.
 * Aggregation nodes and their cables are no part of it. All lists are ascending.
 */
public final class CablingDiff {
    private final List<String> nodesLost;
    private final List<String> nodesGained;
    private final List<String> linksLost;
    private final List<String> linksGained;

    private CablingDiff(Cabling old, Cabling current) {
        SortedSet<String> oldNodes = nodes(old);
        SortedSet<String> currentNodes = nodes(current);
        SortedSet<String> oldLinks = links(old);
        SortedSet<String> currentLinks = links(current);
        nodesLost = without(oldNodes, currentNodes);
        nodesGained = without(currentNodes, oldNodes);
        linksLost = without(oldLinks, currentLinks);
        linksGained = without(currentLinks, oldLinks);
    }

    public static CablingDiff between(Cabling old, Cabling current) {
        return new CablingDiff(old, current);
    }

    public List<String> nodesLost() {
        return nodesLost;
    }

    public List<String> nodesGained() {
        return nodesGained;
    }

    public List<String> linksLost() {
        return linksLost;
    }

    public List<String> linksGained() {
        return linksGained;
    }

    private static SortedSet<String> nodes(Cabling cabling) {
        SortedSet<String> ids = new TreeSet<>();
        cabling.switches().forEach(s -> ids.add(s.id()));
        cabling.adapters().forEach(a -> ids.add(a.id()));
        return ids;
    }

    private static SortedSet<String> links(Cabling cabling) {
        SortedSet<String> links = new TreeSet<>();
        for (Switch node : cabling.switches()) {
            for (SwitchPort port : node.ports()) {
                addLink(links, node.id(), port.number(), port.peer());
            }
        }
        for (Adapter node : cabling.adapters()) {
            for (AdapterPort port : node.ports()) {
                addLink(links, node.id(), port.number(), port.peer());
            }
        }
        return links;
    }

    private static void addLink(SortedSet<String> links, String id, int port, @Nullable PortPeer peer) {
        if (peer == null) {
            return;
        }
        String here = id + "[" + port + "]";
        String there = peer.id() + "[" + peer.port() + "]";
        boolean hereFirst = id.equals(peer.id()) ? port <= peer.port() : id.compareTo(peer.id()) < 0;
        links.add(hereFirst ? here + "<->" + there : there + "<->" + here);
    }

    private static List<String> without(SortedSet<String> all, SortedSet<String> removed) {
        List<String> rest = new ArrayList<>();
        for (String one : all) {
            if (!removed.contains(one)) {
                rest.add(one);
            }
        }
        return List.copyOf(rest);
    }
}
