/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Groups of hosts. A host and all of its devices are in exactly one group; a device of an unknown host is in the group of
 * its switch.
 *
 * @param count number of groups
 * @param ofEnd by device end; -1 without cable
 */
record Groups(int count, int[] ofEnd) {

    /** Host by host, the group of the switch that says where it is ({@link HostEnd}). */
    static Groups byHost(Topology topology, int[] groupOfSwitch, int count) {
        int[] ofEnd = new int[topology.ends()];
        List<List<Integer>> ends = groupedEnds(topology, groupOfSwitch);
        HostEnd hostEnd = new HostEnd(topology, groupOfSwitch);
        int[] groupOfHost = filled(topology.hosts(), -1);
        for (int host = 0; host < groupOfHost.length; host++) {
            if (!ends.get(host).isEmpty()) {
                groupOfHost[host] = groupOfSwitch[topology.endSwitch(hostEnd.of(ends.get(host)))];
            }
        }
        for (int end = 0; end < ofEnd.length; end++) {
            int own = topology.endSwitch(end) < 0 ? -1 : groupOfSwitch[topology.endSwitch(end)];
            int host = topology.endHostNumber(end);
            ofEnd[end] = host < 0 || own < 0 ? own : groupOfHost[host];
        }
        return new Groups(count, ofEnd);
    }

    /** By host, its ends on switches that are in a group, ascending. */
    private static List<List<Integer>> groupedEnds(Topology topology, int[] groupOfSwitch) {
        List<List<Integer>> ends = new ArrayList<>(topology.hosts());
        for (int host = 0; host < topology.hosts(); host++) {
            ends.add(new ArrayList<>(1));
        }
        for (int end = 0; end < topology.ends(); end++) {
            int at = topology.endSwitch(end);
            if (topology.endHostNumber(end) >= 0 && at >= 0 && groupOfSwitch[at] >= 0) {
                ends.get(topology.endHostNumber(end)).add(end);
            }
        }
        return ends;
    }

    /**
     * A host whose devices of one plane are in several groups is in an additional group, for the subtree of the whole
     * fabric. The lowest plane that the host is on decides.
     */
    static Groups byCommonSubtree(Topology topology, int[] groupOfSwitch, int count, int[] planeOfEnd) {
        Groups first = byHost(topology, groupOfSwitch, count);
        int[] groupOfHost = filled(topology.hosts(), -1);
        boolean spread = false;
        List<List<Integer>> ends = groupedEnds(topology, groupOfSwitch);
        for (int host = 0; host < groupOfHost.length; host++) {
            int lowest = ends.get(host).stream()
                    .mapToInt(end -> planeOfEnd[end])
                    .min()
                    .orElse(0);
            int[] groups = ends.get(host).stream()
                    .filter(end -> planeOfEnd[end] == lowest)
                    .mapToInt(end -> groupOfSwitch[topology.endSwitch(end)])
                    .distinct()
                    .toArray();
            groupOfHost[host] = groups.length == 0 ? -1 : groups.length == 1 ? groups[0] : count;
            spread |= groups.length > 1;
        }
        if (!spread) {
            return first;
        }
        int[] ofEnd = Arrays.copyOf(first.ofEnd, first.ofEnd.length);
        for (int end = 0; end < ofEnd.length; end++) {
            int host = topology.endHostNumber(end);
            if (host >= 0 && ofEnd[end] >= 0 && groupOfHost[host] >= 0) {
                ofEnd[end] = groupOfHost[host];
            }
        }
        return new Groups(count + 1, ofEnd);
    }

    private static int[] filled(int length, int value) {
        int[] numbers = new int[length];
        Arrays.fill(numbers, value);
        return numbers;
    }
}
