/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.coordinate;

import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Gives each device the address of its switch followed by its place on it: in the logical view a dense number in the
 * order of the switch's ports, in the physical view the port's number. Unique in each view, because the addresses of
 * switches are and a port holds one cable. Devices of a flat fabric have their slot for both.
 */
public final class CoordinateAssigner {
    private CoordinateAssigner() {}

    /** Cost: O(n log n) time for n device ends. */
    public static Coordinates assign(Topology topology, Classification classification) {
        int[] positions = positions(topology);
        List<List<Coordinate>> ofSwitch = new ArrayList<>(topology.switches());
        for (int s = 0; s < topology.switches(); s++) {
            List<Integer> address = address(classification, s);
            ofSwitch.add(address.isEmpty() ? List.of() : both(address, address));
        }
        List<List<Coordinate>> ofEnd = new ArrayList<>(topology.ends());
        for (int end = 0; end < topology.ends(); end++) {
            ofEnd.add(ofEnd(topology, classification, end, positions[end]));
        }
        return new Coordinates(ofSwitch, ofEnd, shapes(classification, ofEnd));
    }

    private static List<Coordinate> ofEnd(Topology topology, Classification classification, int end, int position) {
        if (classification.kind() == FabricKind.Flat) {
            return both(List.of(position), List.of(position));
        }
        int at = topology.endSwitch(end);
        if (at < 0) {
            return List.of();
        }
        List<Integer> address = address(classification, at);
        return both(append(address, position), append(address, topology.endSwitchPort(end)));
    }

    private static List<Coordinate> both(List<Integer> logical, List<Integer> physical) {
        return List.of(new Coordinate(View.logical, logical), new Coordinate(View.physical, physical));
    }

    private static List<Integer> append(List<Integer> address, int last) {
        List<Integer> values = new ArrayList<>(address);
        values.add(last);
        return values;
    }

    /** Empty for a switch without an address. */
    private static List<Integer> address(Classification classification, int at) {
        List<Integer> address = new ArrayList<>(classification.axes().length + 1);
        for (int[] axis : classification.axes()) {
            if (axis[at] < 0) {
                return List.of();
            }
            address.add(axis[at]);
        }
        return address;
    }

    /** Rank of each end among those of its switch by port; the slot where no switch is known. */
    private static int[] positions(Topology topology) {
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
        int previous = -1;
        int next = 0;
        for (int end : byPort) {
            int at = topology.endSwitch(end);
            next = at == previous ? next + 1 : 0;
            positions[end] = next;
            previous = at;
        }
        return positions;
    }

    private static List<Shape> shapes(Classification classification, List<List<Coordinate>> ofEnd) {
        int dims = classification.kind() == FabricKind.Flat ? 1 : classification.axes().length + 1;
        List<Shape> shapes = new ArrayList<>();
        List<List<Integer>> sizes = new ArrayList<>();
        for (View view : View.values()) {
            sizes.add(sizes(ofEnd, view, dims));
        }
        for (int plane = 0; plane < classification.planes(); plane++) {
            for (View view : View.values()) {
                shapes.add(Shape.of(String.valueOf(plane), view, sizes.get(view.ordinal())));
            }
        }
        return shapes;
    }

    /** Planes of one fabric share one system of coordinates, so they have one shape. */
    private static List<Integer> sizes(List<List<Coordinate>> ofEnd, View view, int dims) {
        List<Integer> sizes = new ArrayList<>(Collections.nCopies(dims, 0));
        for (List<Coordinate> coordinates : ofEnd) {
            if (!coordinates.isEmpty()) {
                List<Integer> values = coordinates.get(view.ordinal()).values();
                for (int axis = 0; axis < dims; axis++) {
                    sizes.set(axis, Math.max(sizes.get(axis), values.get(axis) + 1));
                }
            }
        }
        return sizes;
    }
}
