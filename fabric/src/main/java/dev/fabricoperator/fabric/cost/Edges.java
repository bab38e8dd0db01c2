/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;

/**
 * Switches that hold managed devices which a way leads to: the rows of the matrix.
 *
 * @param switches their indexes, ascending
 * @param rowOfSwitch -1 for any other switch
 */
record Edges(int[] switches, int[] rowOfSwitch) {
    static final int EMPTY_SLOT = -2;

    static Edges of(Topology topology, LinkCosts links) {
        int[] rowOfSwitch = new int[topology.switches()];
        for (int end = 0; end < topology.managedEnds(); end++) {
            if (links.ofEnd(end) != CostMatrix.UNREACHABLE) {
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
        return new Edges(Arrays.copyOf(switches, rows), rowOfSwitch);
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

    Attachments attachments(Topology topology, LinkCosts links) {
        int[] rowOfSlot = new int[topology.slots()];
        int[] costOfSlot = new int[rowOfSlot.length];
        for (int slot = 0; slot < rowOfSlot.length; slot++) {
            int end = topology.endOfSlot(slot);
            if (end < 0) {
                rowOfSlot[slot] = EMPTY_SLOT;
                continue;
            }
            costOfSlot[slot] = links.ofEnd(end);
            rowOfSlot[slot] = costOfSlot[slot] == CostMatrix.UNREACHABLE ? -1 : rowOfSwitch[topology.endSwitch(end)];
        }
        return Attachments.of(rowOfSlot, costOfSlot, switches.length);
    }
}
