/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Groups of hosts. A host is in exactly one, so all of its devices are; a device whose host nobody knows is in that of
 * its switch.
 *
 * @param count number of groups
 * @param ofEnd by device end; -1 without cable
 */
record Groups(int count, int[] ofEnd) {

    /** Host by host, the group of the switch that holds the host's first device. */
    static Groups byFirstDevice(Topology topology, int[] groupOfSwitch, int count) {
        int[] ofEnd = new int[topology.ends()];
        Map<String, Integer> groupOfHost = new HashMap<>();
        for (int end = 0; end < ofEnd.length; end++) {
            int own = topology.endSwitch(end) < 0 ? -1 : groupOfSwitch[topology.endSwitch(end)];
            String host = topology.endHost(end);
            if (host == null || own < 0) {
                ofEnd[end] = own;
            } else {
                Integer first = groupOfHost.putIfAbsent(host, own);
                ofEnd[end] = first == null ? own : first;
            }
        }
        return new Groups(count, ofEnd);
    }

    /**
     * A host whose devices of a plane are in several groups goes into one more group, that of everything. Of several
     * planes that of its first device decides.
     */
    static Groups byCommonSubtree(Topology topology, int[] groupOfSwitch, int count, int[] planeOfEnd) {
        Groups first = byFirstDevice(topology, groupOfSwitch, count);
        Map<String, Integer> groupOfHost = new HashMap<>();
        Map<String, Integer> planeOfHost = new HashMap<>();
        boolean spread = false;
        for (int end = 0; end < topology.ends(); end++) {
            String host = topology.endHost(end);
            int at = topology.endSwitch(end);
            boolean counts = host != null && at >= 0 && groupOfSwitch[at] >= 0;
            Integer plane = counts ? planeOfHost.putIfAbsent(host, planeOfEnd[end]) : null;
            if (counts && (plane == null || plane == planeOfEnd[end])) {
                Integer known = groupOfHost.putIfAbsent(host, groupOfSwitch[at]);
                if (known != null && known != groupOfSwitch[at]) {
                    groupOfHost.put(host, count);
                    spread = true;
                }
            }
        }
        if (!spread) {
            return first;
        }
        int[] ofEnd = Arrays.copyOf(first.ofEnd, first.ofEnd.length);
        for (int end = 0; end < ofEnd.length; end++) {
            String host = topology.endHost(end);
            if (host != null && ofEnd[end] >= 0) {
                ofEnd[end] = groupOfHost.getOrDefault(host, ofEnd[end]);
            }
        }
        return new Groups(count + 1, ofEnd);
    }
}
