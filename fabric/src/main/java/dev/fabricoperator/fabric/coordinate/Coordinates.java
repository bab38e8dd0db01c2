/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.coordinate;

import java.util.List;

/** Coordinates of everything that has some, by switch and device end of the topology, and the shapes they span. */
public final class Coordinates {
    private final List<List<Coordinate>> ofSwitch;
    private final List<List<Coordinate>> ofEnd;
    private final List<Shape> shapes;

    Coordinates(List<List<Coordinate>> ofSwitch, List<List<Coordinate>> ofEnd, List<Shape> shapes) {
        this.ofSwitch = ofSwitch;
        this.ofEnd = ofEnd;
        this.shapes = List.copyOf(shapes);
    }

    /** One per view; empty for a switch that holds no devices. */
    public List<Coordinate> ofSwitch(int at) {
        return ofSwitch.get(at);
    }

    /** One per view; empty for a device without cable. */
    public List<Coordinate> ofEnd(int end) {
        return ofEnd.get(end);
    }

    /** Per plane and view; planes ascending, the logical view first. */
    public List<Shape> shapes() {
        return shapes;
    }
}
