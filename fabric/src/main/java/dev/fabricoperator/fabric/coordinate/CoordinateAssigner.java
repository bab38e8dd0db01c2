/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.coordinate;

import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Gives each device the address of its switch followed by its place on it: in the logical view a dense number in the
 * order of the switch's ports, in the physical view the port's number. Unique in each view of a plane, because the addresses of
 * its switches are and a port holds one cable. Planes of a fat tree repeat each other's addresses
 * ({@link Coordinates#ofEndInFabric}); rails are an axis. Devices of a flat fabric have their slot for both.
 */
public final class CoordinateAssigner {
    private static final int[] NONE = {};

    private CoordinateAssigner() {}

    /** Cost: O(n log n) time for n device ends. */
    public static Coordinates assign(Topology topology, Classification classification) {
        return assign(topology, classification, Numbering.NONE);
    }

    /** As {@link #assign(Topology, Classification)}; devices that are where they were keep their positions. */
    public static Coordinates assign(Topology topology, Classification classification, Numbering previous) {
        boolean flat = classification.kind() == FabricKind.Flat;
        int[][] addresses = new int[topology.switches()][];
        for (int s = 0; s < addresses.length; s++) {
            addresses[s] = address(classification, s);
        }
        int[] logical = Positions.of(topology, classification.kind(), addresses, previous);
        int[] switchOfEnd = new int[topology.ends()];
        int[] physical = new int[topology.ends()];
        for (int end = 0; end < physical.length; end++) {
            switchOfEnd[end] = topology.endSwitch(end);
            physical[end] = flat ? logical[end] : topology.endSwitchPort(end);
        }
        int[][] lastOfEnd = {logical, physical};
        List<Shape> shapes = shapes(topology, classification, addresses, lastOfEnd);
        boolean repeated = switch (classification.kind()) {
            case FatTree -> classification.planes() > 1;
            case RailOptimized -> !classification.planeIsAnAxis();
            case Torus, Mesh, HyperX, Dragonfly, DragonflyPlus, Irregular, Flat -> false;
        };
        return new Coordinates(
                addresses, switchOfEnd, lastOfEnd, flat, repeated ? classification.planeOfEnd() : null, shapes);
    }

    /** Empty for a switch without an address, and for one without devices, which has a place in a grid all the same. */
    private static int[] address(Classification classification, int at) {
        if (classification.levelOfSwitch()[at] != 1) {
            return NONE;
        }
        int[][] axes = classification.axes();
        int[] address = new int[axes.length];
        for (int axis = 0; axis < address.length; axis++) {
            address[axis] = axes[axis][at];
            if (address[axis] < 0) {
                return NONE;
            }
        }
        return address;
    }

    private static List<Shape> shapes(
            Topology topology, Classification classification, int[][] addresses, int[][] lastOfEnd) {
        boolean flat = classification.kind() == FabricKind.Flat;
        boolean shared = classification.planeIsAnAxis();
        int axes = flat ? 0 : classification.axes().length;
        List<Shape> shapes = new ArrayList<>();
        for (int plane : planes(topology, classification)) {
            for (View view : View.values()) {
                int[] sizes = new int[axes + 1];
                int[] last = lastOfEnd[view.ordinal()];
                for (int end = 0; end < last.length; end++) {
                    int at = topology.endSwitch(end);
                    if ((flat || at >= 0) && (shared || classification.planeOfEnd()[end] == plane)) {
                        for (int axis = 0; axis < axes; axis++) {
                            sizes[axis] = Math.max(sizes[axis], addresses[at][axis] + 1);
                        }
                        sizes[axes] = Math.max(sizes[axes], last[end] + 1);
                    }
                }
                shapes.add(Shape.of(
                        String.valueOf(plane),
                        view,
                        Arrays.stream(sizes).boxed().toList()));
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
}
