/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.topology.SwitchComponents;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Parts that hold devices and do not reach the part that holds most of them. */
final class Partitions {
    private record Part(int first, int switches, int devices) {}

    private Partitions() {}

    static List<Finding> of(ClassifiedTopology wiring) {
        Topology topology = wiring.topology();
        int[] component = SwitchComponents.of(topology);
        int[] switches = new int[component.length];
        int[] devices = new int[component.length];
        for (int first : component) {
            switches[first]++;
        }
        for (int end = 0; end < topology.ends(); end++) {
            if (topology.endSwitch(end) >= 0) {
                devices[component[topology.endSwitch(end)]]++;
            }
        }
        List<Part> parts = IntStream.range(0, component.length)
                .filter(first -> devices[first] > 0)
                .mapToObj(first -> new Part(first, switches[first], devices[first]))
                .toList();
        Part largest = null;
        for (Part part : parts) {
            largest = largest == null || part.devices() > largest.devices() ? part : largest;
        }
        List<Finding> found = new ArrayList<>();
        for (Part part : parts) {
            if (part != largest) {
                Finding.Place place = wiring.place(part.first());
                found.add(new Finding(
                        FindingType.Partition,
                        place.id(),
                        part.devices() + (part.devices() == 1 ? " device on " : " devices on ") + part.switches()
                                + (part.switches() == 1 ? " switch around " : " switches around ") + place.name()
                                + (part.devices() == 1 ? " does" : " do") + " not reach the rest of the fabric",
                        place));
            }
        }
        return found;
    }
}
