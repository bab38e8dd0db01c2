/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;

/**
 * Groups of hosts. A host and all of its devices are in exactly one group; a device of an unknown host is in the group of
 * its switch.
 *
 * @param count number of groups
 * @param ofEnd by device end; -1 without cable
 */
record Groups(int count, int[] ofEnd) {

    /** Host by host, the group of the switch that holds the host's first device. */
    static Groups byFirstDevice(Topology topology, int[] groupOfSwitch, int count) {
        int[] ofEnd = new int[topology.ends()];
        int[] groupOfHost = filled(topology.hosts(), -1);
        for (int end = 0; end < ofEnd.length; end++) {
            int own = topology.endSwitch(end) < 0 ? -1 : groupOfSwitch[topology.endSwitch(end)];
            int host = topology.endHostNumber(end);
            if (host < 0 || own < 0) {
                ofEnd[end] = own;
            } else {
                groupOfHost[host] = groupOfHost[host] < 0 ? own : groupOfHost[host];
                ofEnd[end] = groupOfHost[host];
            }
        }
        return new Groups(count, ofEnd);
    }

    /**
     * A host whose devices of one plane are in several groups is in an additional group, for the subtree of the whole
     * fabric. The plane of the host's first device decides.
     */
    static Groups byCommonSubtree(Topology topology, int[] groupOfSwitch, int count, int[] planeOfEnd) {
        Groups first = byFirstDevice(topology, groupOfSwitch, count);
        int[] groupOfHost = filled(topology.hosts(), -1);
        int[] planeOfHost = new int[topology.hosts()];
        boolean spread = false;
        for (int end = 0; end < topology.ends(); end++) {
            int host = topology.endHostNumber(end);
            int at = topology.endSwitch(end);
            if (host < 0 || at < 0 || groupOfSwitch[at] < 0) {
                continue;
            }
            if (groupOfHost[host] < 0) {
                planeOfHost[host] = planeOfEnd[end];
                groupOfHost[host] = groupOfSwitch[at];
            } else if (planeOfHost[host] == planeOfEnd[end] && groupOfHost[host] != groupOfSwitch[at]) {
                groupOfHost[host] = count;
                spread = true;
            }
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
