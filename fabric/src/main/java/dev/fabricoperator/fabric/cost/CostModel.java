/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import dev.fabricoperator.fabric.topology.Topology;

/**
 * Shortest paths over switches, where every cable costs what its speed says; devices never forward.
 *
 * <p>Idea: costs between switches that hold devices are all that is kept. They are computed for 64 of these switches at
 * once: a bit per source travels through one pass of Dial's algorithm (bucketed Dijkstra), as in the multi-source
 * breadth-first search of Then et al., "The More the Merrier" (VLDB 2014), which is the special case of equal costs.
 *
 * <p>Cost: O(s / 64 * k * (v + l)) time for s switches that hold devices, v switches, l pairs of neighbours and k
 * different costs at which a switch is met, O(s * s) space.
 */
public final class CostModel {
    private CostModel() {}

    /** The matrix of a topology's managed devices. Without any switch all devices count as cabled to one. */
    public static CostMatrix of(Topology topology) {
        return of(topology, Weights.NONE);
    }

    /** As {@link #of(Topology)}, with what an administrator or a measurement says about links. */
    public static CostMatrix of(Topology topology, Weights weights) {
        return of(LinkCosts.of(topology, weights));
    }

    /** The matrix of the topology that the links are of. */
    public static CostMatrix of(LinkCosts links) {
        Topology topology = links.topology();
        if (topology.switches() == 0) {
            return flat(topology);
        }
        Edges edges = Edges.of(topology, links);
        return new CostMatrix(Changes.all(topology, links, edges), edges.attachments(topology));
    }

    /**
     * The matrix after a change, equal to {@link #of(LinkCosts)} bit by bit.
     *
     * <p>Cost: a pass for each 64 switches at changed links before and after, a pass for each 64 switches whose costs
     * change, and O(l + n + s) to find out; O(s * s) more where switches that hold devices come or go. Never much more
     * than a full computation, which it does where much has changed.
     *
     * @param before what {@code old} was computed from
     */
    public static CostMatrix update(LinkCosts before, CostMatrix old, LinkCosts after) {
        Topology topology = after.topology();
        if (before.topology().switches() == 0 || topology.switches() == 0) {
            return of(after);
        }
        Edges edges = Edges.of(topology, after);
        return new CostMatrix(new Changes(before, old.switches(), after, edges).costs(), edges.attachments(topology));
    }

    private static CostMatrix flat(Topology topology) {
        Attachments.Builder attachments = new Attachments.Builder(topology.slots(), 1);
        for (int slot = 0; slot < topology.slots(); slot++) {
            if (topology.endOfSlot(slot) >= 0) {
                attachments.cabled(0, LinkCosts.UNIT);
            } else {
                attachments.empty();
            }
        }
        char[][] rows = {{0}};
        SwitchCosts one = new SwitchCosts(new String[] {""}, rows, new byte[1][], new char[1], false);
        return new CostMatrix(one, attachments.build());
    }
}
