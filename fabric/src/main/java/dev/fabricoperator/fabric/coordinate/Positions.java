/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.coordinate;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.memory.DeviceMemory;
import dev.fabricoperator.fabric.memory.Memory;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Place of each device on its switch. A device that is on the switch that it was on keeps its number; the others take
 * the free ones in the order of the switch's ports.
 */
final class Positions {
    /** No switch has more ports; a larger number in a status is damage. */
    private static final int MAX_POSITION = 1 << 12;

    private Positions() {}

    /** By device end; the slot where no switch is known at all. */
    static int[] of(Topology topology, Classification classification, Memory memory) {
        int[] positions = new int[topology.ends()];
        if (topology.switches() == 0) {
            for (int slot = 0; slot < topology.slots(); slot++) {
                if (topology.endOfSlot(slot) >= 0) {
                    positions[topology.endOfSlot(slot)] = slot;
                }
            }
            return positions;
        }
        int[] byPort = IntStream.range(0, topology.ends())
                .filter(end -> topology.endSwitch(end) >= 0)
                .boxed()
                .sorted(Comparator.comparingInt(topology::endSwitch).thenComparingInt(topology::endSwitchPort))
                .mapToInt(end -> end)
                .toArray();
        boolean remembers = memory.kind().equals(classification.kind().name());
        for (int first = 0; first < byPort.length; ) {
            int at = topology.endSwitch(byPort[first]);
            int last = first;
            while (last < byPort.length && topology.endSwitch(byPort[last]) == at) {
                last++;
            }
            int[] ends = Arrays.copyOfRange(byPort, first, last);
            List<Integer> address = CoordinateAssigner.address(classification, at);
            place(topology, remembers ? memory : Memory.NONE, address, ends, positions);
            first = last;
        }
        return positions;
    }

    private static void place(Topology topology, Memory memory, List<Integer> address, int[] ends, int[] positions) {
        BitSet taken = new BitSet();
        BitSet placed = new BitSet();
        for (int i = 0; i < ends.length && !memory.isEmpty(); i++) {
            int position = remembered(topology, memory, address, ends[i]);
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

    private static int remembered(Topology topology, Memory memory, List<Integer> address, int end) {
        DeviceMemory place = end < topology.managedEnds()
                ? memory.devices().get(new PortPeer(topology.endId(end), topology.endPort(end)))
                : null;
        if (place == null || place.logical().size() != address.size() + 1) {
            return -1;
        }
        int position = place.logical().getLast();
        boolean same = place.logical().subList(0, address.size()).equals(address);
        return same && position >= 0 && position <= MAX_POSITION ? position : -1;
    }
}
