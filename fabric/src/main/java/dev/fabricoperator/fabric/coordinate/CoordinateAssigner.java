/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.coordinate;

import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.memory.Memory;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;

/**
 * Gives each device the address of its switch followed by its place on it: in the logical view a dense number in the
 * order of the switch's ports, in the physical view the port's number. Unique in each view, because the addresses of
 * switches are and a port holds one cable. Devices of a flat fabric have their slot for both.
 */
public final class CoordinateAssigner {
    private CoordinateAssigner() {}

    /** Cost: O(n log n) time for n device ends. */
    public static Coordinates assign(Topology topology, Classification classification) {
        return assign(topology, classification, Memory.NONE);
    }

    /** As {@link #assign(Topology, Classification)}; devices that are where they were keep their positions. */
    public static Coordinates assign(Topology topology, Classification classification, Memory memory) {
        int[] positions = Positions.of(topology, classification, memory);
        List<List<Coordinate>> ofSwitch = new ArrayList<>(topology.switches());
        for (int s = 0; s < topology.switches(); s++) {
            List<Integer> address = address(classification, s);
            ofSwitch.add(address.isEmpty() ? List.of() : both(address, address));
        }
        List<List<Coordinate>> ofEnd = new ArrayList<>(topology.ends());
        for (int end = 0; end < topology.ends(); end++) {
            ofEnd.add(ofEnd(topology, classification, end, positions[end]));
        }
        return new Coordinates(ofSwitch, ofEnd, shapes(topology, classification, ofEnd));
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

    /** Empty for a switch without an address, and for one without devices, which has a place in a grid all the same. */
    static List<Integer> address(Classification classification, int at) {
        if (classification.levelOfSwitch()[at] != 1) {
            return List.of();
        }
        List<Integer> address = new ArrayList<>(classification.axes().length + 1);
        for (int[] axis : classification.axes()) {
            if (axis[at] < 0) {
                return List.of();
            }
            address.add(axis[at]);
        }
        return address;
    }

    private static List<Shape> shapes(Topology topology, Classification classification, List<List<Coordinate>> ofEnd) {
        int dims = classification.kind() == FabricKind.Flat ? 1 : classification.axes().length + 1;
        // Rails are an axis of their own, so that their planes share one system of coordinates.
        boolean shared = classification.kind() == FabricKind.RailOptimized;
        List<Shape> shapes = new ArrayList<>();
        for (int plane : planes(topology, classification)) {
            for (View view : View.values()) {
                int only = shared ? -1 : plane;
                List<Integer> sizes = sizes(classification, ofEnd, view, dims, only);
                shapes.add(Shape.of(String.valueOf(plane), view, sizes));
            }
        }
        return shapes;
    }

    /** Those that something is in; labels of planes may have gaps. */
    private static int[] planes(Topology topology, Classification classification) {
        BitSet used = new BitSet();
        for (int end = 0; end < topology.ends(); end++) {
            used.set(classification.planeOfEnd()[end]);
        }
        if (used.isEmpty()) {
            used.set(0);
        }
        return used.stream().toArray();
    }

    private static List<Integer> sizes(
            Classification classification, List<List<Coordinate>> ofEnd, View view, int dims, int plane) {
        List<Integer> sizes = new ArrayList<>(Collections.nCopies(dims, 0));
        for (int end = 0; end < ofEnd.size(); end++) {
            if (!ofEnd.get(end).isEmpty() && (plane < 0 || classification.planeOfEnd()[end] == plane)) {
                List<Integer> values = ofEnd.get(end).get(view.ordinal()).values();
                for (int axis = 0; axis < dims; axis++) {
                    sizes.set(axis, Math.max(sizes.get(axis), values.get(axis) + 1));
                }
            }
        }
        return sizes;
    }
}
