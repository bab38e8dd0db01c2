/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import org.jspecify.annotations.Nullable;

/**
 * What only hangs off a fabric: service trees, and small parts that no cable joins to it.
 *
 * @param others of the switches that hold devices those that are no such part
 * @param holderOfSwitch the switch that a hanging one hangs off, by however many others; -1 for all others, and for what
 *     nothing joins to the fabric
 */
record HangingParts(boolean[] others, int[] holderOfSwitch) {
    /** Share of the switches with devices up to which they may be service trees; more is the fabric itself. */
    private static final double SERVICE_SWITCHES = 0.25;

    /** {@code null} where nothing hangs off, or too much does. */
    static @Nullable HangingParts of(Topology topology, EdgeHops hops) {
        Core core = Core.of(topology);
        boolean[] others = new boolean[hops.size()];
        int hanging = 0;
        for (int edge = 0; edge < others.length; edge++) {
            others[edge] = core.nodeOf(hops.switchOf(edge)) >= 0;
            hanging += others[edge] ? 0 : 1;
        }
        if (hanging == 0 || hanging > SERVICE_SWITCHES * others.length) {
            return null;
        }
        int[] holder = new int[topology.switches()];
        for (int s = 0; s < holder.length; s++) {
            holder[s] = core.nodeOf(s) >= 0 ? -1 : core.holderOf(s);
        }
        return new HangingParts(others, holder);
    }
}
