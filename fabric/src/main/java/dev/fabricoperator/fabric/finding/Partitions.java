/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.List;

/** Parts that hold devices and do not reach the part that holds most of them. */
final class Partitions {
    private record Part(int first, int switches, int devices) {}

    private Partitions() {}

    static List<Finding> of(Topology topology) {
        int[] devicesAt = new int[topology.switches()];
        for (int end = 0; end < topology.ends(); end++) {
            if (topology.endSwitch(end) >= 0) {
                devicesAt[topology.endSwitch(end)]++;
            }
        }
        boolean[] seen = new boolean[topology.switches()];
        int[] queue = new int[topology.switches()];
        List<Part> parts = new ArrayList<>();
        for (int start = 0; start < seen.length; start++) {
            if (!seen[start]) {
                Part part = visit(topology, start, devicesAt, seen, queue);
                if (part.devices() > 0) {
                    parts.add(part);
                }
            }
        }
        Part largest = null;
        for (Part part : parts) {
            largest = largest == null || part.devices() > largest.devices() ? part : largest;
        }
        List<Finding> found = new ArrayList<>();
        for (Part part : parts) {
            if (part != largest) {
                String id = topology.switchId(part.first());
                found.add(new Finding(
                        FindingType.Partition,
                        id,
                        part.devices() + (part.devices() == 1 ? " device on " : " devices on ") + part.switches()
                                + (part.switches() == 1 ? " switch around " : " switches around ") + id
                                + (part.devices() == 1 ? " does" : " do") + " not reach the rest of the fabric"));
            }
        }
        return found;
    }

    private static Part visit(Topology topology, int start, int[] devicesAt, boolean[] seen, int[] queue) {
        int filled = 1;
        int devices = 0;
        queue[0] = start;
        seen[start] = true;
        for (int i = 0; i < filled; i++) {
            devices += devicesAt[queue[i]];
            for (int n = topology.firstNeighbor(queue[i]); n < topology.firstNeighbor(queue[i] + 1); n++) {
                int neighbor = topology.neighbor(n);
                if (!seen[neighbor]) {
                    seen[neighbor] = true;
                    queue[filled++] = neighbor;
                }
            }
        }
        return new Part(start, filled, devices);
    }
}
