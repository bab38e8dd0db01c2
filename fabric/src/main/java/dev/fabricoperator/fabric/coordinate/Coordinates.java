/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.coordinate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Coordinates of everything that has some, by switch and device end of the topology, and the shapes they span. They are
 * kept as numbers and become lists when somebody asks.
 */
public final class Coordinates {
    private final int[][] addressOfSwitch;
    private final int[] switchOfEnd;
    private final int[][] lastOfEnd;
    private final boolean flat;
    private final int @Nullable [] planeOfEnd;
    private final List<Shape> shapes;

    /**
     * @param addressOfSwitch empty for a switch that holds no devices
     * @param switchOfEnd -1 for a device without cable
     * @param lastOfEnd per view the place on the switch, for each device end
     * @param flat whether that is all there is of an address
     * @param planeOfEnd where planes repeat each other's coordinates, else {@code null}
     */
    Coordinates(
            int[][] addressOfSwitch,
            int[] switchOfEnd,
            int[][] lastOfEnd,
            boolean flat,
            int @Nullable [] planeOfEnd,
            List<Shape> shapes) {
        this.addressOfSwitch = addressOfSwitch;
        this.switchOfEnd = switchOfEnd;
        this.lastOfEnd = lastOfEnd;
        this.flat = flat;
        this.planeOfEnd = planeOfEnd;
        this.shapes = List.copyOf(shapes);
    }

    /** One per view; empty for a switch that holds no devices. */
    public List<Coordinate> ofSwitch(int at) {
        if (addressOfSwitch[at].length == 0) {
            return List.of();
        }
        List<Integer> address = Arrays.stream(addressOfSwitch[at]).boxed().toList();
        return List.of(new Coordinate(View.logical, address), new Coordinate(View.physical, address));
    }

    /** One per view; empty for a device without cable. */
    public List<Coordinate> ofEnd(int end) {
        int at = switchOfEnd[end];
        if (!flat && at < 0) {
            return List.of();
        }
        int[] address = flat ? new int[0] : addressOfSwitch[at];
        return List.of(coordinate(View.logical, address, end), coordinate(View.physical, address, end));
    }

    /**
     * As {@link #ofEnd}, for who has no plane beside it: unique in each view of the whole fabric. Where planes repeat each other's coordinates, the
     * plane's number is the first axis.
     */
    public List<Coordinate> ofEndInFabric(int end) {
        List<Coordinate> inPlane = ofEnd(end);
        if (planeOfEnd == null) {
            return inPlane;
        }
        int plane = planeOfEnd[end];
        return inPlane.stream()
                .map(each -> new Coordinate(each.view(), withFirst(plane, each.values())))
                .toList();
    }

    private static List<Integer> withFirst(int first, List<Integer> others) {
        List<Integer> values = new ArrayList<>(others.size() + 1);
        values.add(first);
        values.addAll(others);
        return values;
    }

    private Coordinate coordinate(View view, int[] address, int end) {
        List<Integer> values = new ArrayList<>(address.length + 1);
        for (int value : address) {
            values.add(value);
        }
        values.add(lastOfEnd[view.ordinal()][end]);
        return new Coordinate(view, values);
    }

    /** Per plane and view; planes ascending, the logical view first. */
    public List<Shape> shapes() {
        return shapes;
    }

    /** As {@link #shapes}, of {@link #ofEndInFabric}: all planes have one size on an axis that is the plane. */
    public List<Shape> shapesInFabric() {
        if (planeOfEnd == null) {
            return shapes;
        }
        int planes = 1 + Arrays.stream(planeOfEnd).max().orElse(0);
        return shapes.stream()
                .map(shape -> Shape.of(shape.plane(), shape.view(), withFirst(planes, shape.sizes())))
                .toList();
    }
}
