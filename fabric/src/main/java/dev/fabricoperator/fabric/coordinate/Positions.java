/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.coordinate;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Place of each device on its switch. A device that is on the switch that it was on keeps its number; the others take
 * the free ones in the order of the switch's ports.
 */
final class Positions {
    /** No switch has more ports; a larger number in a status is damage. */
    private static final int MAX_POSITION = 1 << 12;

    private Positions() {}

    /**
     * By device end; the slot where no switch is known at all.
     *
     * @param addresses by switch
     */
    static int[] of(Topology topology, FabricKind kind, int[][] addresses, Numbering previous) {
        int[] positions = new int[topology.ends()];
        if (topology.switches() == 0) {
            for (int slot = 0; slot < topology.slots(); slot++) {
                if (topology.endOfSlot(slot) >= 0) {
                    positions[topology.endOfSlot(slot)] = slot;
                }
            }
            return positions;
        }
        int[] firstOfSwitch = new int[topology.switches() + 1];
        for (int end = 0; end < positions.length; end++) {
            if (topology.endSwitch(end) >= 0) {
                firstOfSwitch[topology.endSwitch(end) + 1]++;
            }
        }
        for (int at = 0; at < topology.switches(); at++) {
            firstOfSwitch[at + 1] += firstOfSwitch[at];
        }
        // One long per cabled end: the port above, the end below, so that sorting those of a switch puts them in order.
        long[] byPort = new long[firstOfSwitch[topology.switches()]];
        int[] next = Arrays.copyOf(firstOfSwitch, topology.switches());
        for (int end = 0; end < positions.length; end++) {
            if (topology.endSwitch(end) >= 0) {
                byPort[next[topology.endSwitch(end)]++] = (long) topology.endSwitchPort(end) << 32 | end;
            }
        }
        Numbering before = previous.kind().equals(kind.name()) ? previous : Numbering.NONE;
        for (int at = 0; at < topology.switches(); at++) {
            Arrays.sort(byPort, firstOfSwitch[at], firstOfSwitch[at + 1]);
            int[] ends = new int[firstOfSwitch[at + 1] - firstOfSwitch[at]];
            for (int i = 0; i < ends.length; i++) {
                ends[i] = (int) byPort[firstOfSwitch[at] + i];
            }
            place(topology, before, addresses[at], ends, positions);
        }
        return positions;
    }

    private static void place(Topology topology, Numbering previous, int[] address, int[] ends, int[] positions) {
        BitSet taken = new BitSet();
        BitSet placed = new BitSet();
        for (int i = 0; i < ends.length && !previous.isEmpty(); i++) {
            int position = remembered(topology, previous, address, ends[i]);
            if (position >= 0 && !taken.get(position)) {
                taken.set(position);
                placed.set(i);
                positions[ends[i]] = position;
            }
        }
        for (int i = 0; i < ends.length; i++) {
            if (!placed.get(i)) {
                positions[ends[i]] = taken.nextClearBit(0);
                taken.set(positions[ends[i]]);
            }
        }
    }

    private static int remembered(Topology topology, Numbering previous, int[] address, int end) {
        Numbering.OfDevice place = end < topology.managedEnds()
                ? previous.devices().get(new PortPeer(topology.endId(end), topology.endPort(end)))
                : null;
        if (place == null || place.logical().size() != address.length + 1) {
            return -1;
        }
        int position = place.logical().getLast();
        boolean same = true;
        for (int axis = 0; axis < address.length; axis++) {
            same &= place.logical().get(axis) == address[axis];
        }
        return same && position >= 0 && position <= MAX_POSITION ? position : -1;
    }
}
