/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.finding;

import dev.fabricoperator.fabric.graph.BreadthFirst;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Parts that hold devices and do not reach the part that holds most of them. */
final class Partitions {
    /** Share of a plane's devices in a part that is the plane: another part with some of them is cut off. */
    private static final double WHOLE = 0.9;

    private record Part(int first, int switches, int devices) {}

    private Partitions() {}

    static List<Finding> of(ClassifiedTopology wiring) {
        Topology topology = wiring.topology();
        int[] component = BreadthFirst.components(topology);
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
            if (part != largest && !isPlane(wiring, component, part)) {
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

    /** Whether a part is one plane of those that nothing joins, with all of that plane. */
    private static boolean isPlane(ClassifiedTopology wiring, int[] component, Part part) {
        Topology topology = wiring.topology();
        int[] planeOfEnd = wiring.classification().planeOfEnd();
        int[] inside = new int[wiring.classification().planes()];
        int[] everywhere = new int[inside.length];
        for (int end = 0; end < topology.ends(); end++) {
            int at = topology.endSwitch(end);
            if (at >= 0) {
                everywhere[planeOfEnd[end]]++;
                inside[planeOfEnd[end]] += component[at] == part.first() ? 1 : 0;
            }
        }
        for (int plane = 0; inside.length > 1 && plane < inside.length; plane++) {
            if (inside[plane] == part.devices()) {
                return inside[plane] >= WHOLE * everywhere[plane];
            }
        }
        return false;
    }
}
