/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;

/**
 * Switches that hold reachable managed devices: the rows of the matrix.
 *
 * @param switches their indexes, ascending
 * @param rowOfSwitch -1 for any other switch
 * @param costOfEnd cost of each managed device's own cable, 65535 for an unreachable one
 */
record Edges(int[] switches, int[] rowOfSwitch, char[] costOfEnd) {

    static Edges of(Topology topology, LinkCosts links) {
        int[] rowOfSwitch = new int[topology.switches()];
        char[] costOfEnd = new char[topology.managedEnds()];
        for (int end = 0; end < costOfEnd.length; end++) {
            costOfEnd[end] = (char) links.ofEnd(end);
            if (costOfEnd[end] != CostMatrix.UNREACHABLE) {
                rowOfSwitch[topology.endSwitch(end)] = 1;
            }
        }
        int[] switches = new int[rowOfSwitch.length];
        int rows = 0;
        for (int s = 0; s < rowOfSwitch.length; s++) {
            if (rowOfSwitch[s] == 1) {
                switches[rows] = s;
                rowOfSwitch[s] = rows++;
            } else {
                rowOfSwitch[s] = -1;
            }
        }
        if (rows > SwitchCosts.MOST) {
            throw new IllegalArgumentException(rows + " switches that hold devices; " + SwitchCosts.MOST + " at most");
        }
        return new Edges(Arrays.copyOf(switches, rows), rowOfSwitch, costOfEnd);
    }

    int size() {
        return switches.length;
    }

    String[] ids(Topology topology) {
        String[] ids = new String[switches.length];
        for (int row = 0; row < ids.length; row++) {
            ids[row] = topology.switchId(switches[row]);
        }
        return ids;
    }

    Attachments attachments(Topology topology) {
        Attachments.Builder builder = new Attachments.Builder(topology.slots(), switches.length);
        for (int slot = 0; slot < topology.slots(); slot++) {
            int end = topology.endOfSlot(slot);
            if (end < 0) {
                builder.empty();
            } else if (costOfEnd[end] == CostMatrix.UNREACHABLE) {
                builder.loose();
            } else {
                builder.cabled(rowOfSwitch[topology.endSwitch(end)], costOfEnd[end]);
            }
        }
        return builder.build();
    }
}
