/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.placement;

import dev.fabricoperator.crds.Distance;
import java.util.BitSet;
import java.util.List;

/**
 * How far the CPUs of a rank are from a device, over the NUMA nodes that they belong to; 65535 is unknown.
 *
 * @see "PMIx Standard, pmix_device_distance_t: mindist, maxdist"
 */
record CpuDistance(int minimum, int maximum) {
    static final int UNKNOWN = 65535;
    /** The kernel's largest number of nodes (MAX_NUMNODES with NODES_SHIFT 10). */
    private static final int MOST_NODES = 1024;

    private static final CpuDistance NOWHERE = new CpuDistance(UNKNOWN, UNKNOWN);

    /**
     * @param distances of the device, by NUMA node of its host
     * @param nodes of the pod's CPUs, the kernel's list form; empty, or none such, where they are not known: then they may be
     *     any of the host's
     */
    static CpuDistance of(List<Distance> distances, String nodes) {
        BitSet wanted = parse(nodes);
        List<Distance> over = wanted.isEmpty()
                ? distances
                : distances.stream().filter(d -> wanted.get(d.numaNode())).toList();
        // One that is not known might be the nearest or the farthest.
        if (over.isEmpty() || over.stream().map(Distance::numaNode).distinct().count() < wanted.cardinality()) {
            return NOWHERE;
        }
        return new CpuDistance(
                over.stream().mapToInt(Distance::minimum).min().orElse(UNKNOWN),
                over.stream().mapToInt(Distance::maximum).max().orElse(UNKNOWN));
    }

    /** What a pod says is not trusted to be a list. */
    private static BitSet parse(String list) {
        BitSet nodes = new BitSet();
        for (String range : list.split(",", -1)) {
            // Each by itself: a pattern for the whole list takes a stack as deep as the list is long.
            if (!range.matches("[0-9]{1,4}(-[0-9]{1,4})?")) {
                return new BitSet();
            }
            int dash = range.indexOf('-');
            int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
            int last = dash < 0 ? first : Integer.parseInt(range.substring(dash + 1));
            if (first > last || last >= MOST_NODES) {
                return new BitSet();
            }
            nodes.set(first, last + 1);
        }
        return nodes;
    }
}
