/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.classify.Classification;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What holds for the coordinates of every kind of fabric: a switch's address and a place on it, unique in each view of a plane, and of the fabric where
 * they are for who knows no plane.
 */
public final class CoordinateContract {
    private CoordinateContract() {}

    public static void assertHolds(Topology topology, Classification found) {
        Coordinates coordinates = CoordinateAssigner.assign(topology, found);
        assertThat(coordinates.shapes()).hasSize(2 * found.planes());
        for (View view : View.values()) {
            Set<List<Integer>> seen = new HashSet<>();
            for (int end = 0; end < topology.ends(); end++) {
                if (topology.endSwitch(end) < 0 && topology.switches() > 0) {
                    assertThat(coordinates.ofEnd(end)).isEmpty();
                    assertThat(coordinates.ofEndInFabric(end)).isEmpty();
                    continue;
                }
                int plane = found.planeOfEnd()[end];
                Shape shape = coordinates.shapes().get(2 * plane + view.ordinal());
                require(shape.plane().equals(String.valueOf(plane)) && shape.view() == view);
                List<Integer> values =
                        coordinates.ofEnd(end).get(view.ordinal()).values();
                requireWithin(shape, values);
                List<Integer> inFabric =
                        coordinates.ofEndInFabric(end).get(view.ordinal()).values();
                require(seen.add(inFabric));
                require(inFabric.subList(inFabric.size() - values.size(), inFabric.size())
                        .equals(values));
                requireWithin(coordinates.shapesInFabric().get(2 * plane + view.ordinal()), inFabric);
                if (topology.endSwitch(end) >= 0) {
                    List<Coordinate> ofSwitch = coordinates.ofSwitch(topology.endSwitch(end));
                    require(values.subList(0, values.size() - 1)
                            .equals(ofSwitch.get(view.ordinal()).values()));
                    if (view == View.physical) {
                        requireBetween(topology.endSwitchPort(end), values.getLast(), values.getLast());
                    }
                }
            }
        }
    }

    private static void requireWithin(Shape shape, List<Integer> values) {
        require(shape.dims() == shape.sizes().size() && shape.dims() == values.size());
        for (int axis = 0; axis < values.size(); axis++) {
            requireBetween(values.get(axis), 0, shape.sizes().get(axis) - 1);
        }
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new AssertionError("the contract is broken");
        }
    }

    private static void requireBetween(int value, int lowest, int highest) {
        if (value < lowest || value > highest) {
            throw new AssertionError(value + " is not between " + lowest + " and " + highest);
        }
    }
}
