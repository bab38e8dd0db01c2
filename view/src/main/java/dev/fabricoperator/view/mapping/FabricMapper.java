/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.crds.CoordinateStatus;
import dev.fabricoperator.crds.CostMatrixStatus;
import dev.fabricoperator.crds.FabricDeviceStatusBuilder;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.FabricSwitchStatusBuilder;
import dev.fabricoperator.crds.PlaneStatus;
import dev.fabricoperator.crds.ShapeStatus;
import dev.fabricoperator.crds.ViewName;
import dev.fabricoperator.fabric.coordinate.Coordinate;
import dev.fabricoperator.fabric.coordinate.Shape;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.SwitchPosition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of every {@code status} that a {@link FabricModel} decides. Conditions, names, vendor and index are the
 * caller's to add.
 */
public final class FabricMapper {
    private final String fabric;
    private final FabricModel model;
    private final List<String> planeNames;

    /**
     * @param fabric name of the Fabric object
     * @param planeNames names that a person gave to the planes, in order; a plane beyond them keeps its id
     */
    public FabricMapper(String fabric, FabricModel model, List<String> planeNames) {
        this.fabric = fabric;
        this.model = model;
        this.planeNames = List.copyOf(planeNames);
    }

    /** @param generation of topology, cost and membership together */
    public FabricStatusBuilder fabric(long generation) {
        Shape shape = model.defaultShape();
        CostMatrix cost = model.cost();
        return FabricStatusBuilder.builder()
                .kind(model.kind())
                .planes(model.planes().stream()
                        .map(p -> new PlaneStatus(planeName(p.id()), p.devices(), p.switches()))
                        .toList())
                .devices(model.devices())
                .unmanagedDevices(model.unmanagedDevices())
                .switches(model.switches())
                .links(model.links())
                .hosts(model.hosts())
                .groups(model.groups())
                .shapes(shapes(model.shapes()))
                .dims(shape.dims())
                .shape(shape.sizes())
                .shapeString(shape.string())
                .costMatrix(new CostMatrixStatus(
                        cost.vertices(), cost.digest(), generation, cost.symmetric(), cost.maximum()))
                .generation(generation);
    }

    /** @throws IllegalArgumentException if no device is in the slot */
    public FabricDeviceStatusBuilder device(int slot) {
        DevicePosition place = model.device(slot);
        if (place == null) {
            throw new IllegalArgumentException("no device of " + fabric + " has index " + slot);
        }
        return FabricDeviceStatusBuilder.builder()
                .fabric(fabric)
                .plane(planeName(place.plane()))
                .index(slot)
                .switchId(place.switchId())
                .switchPort(place.switchPort())
                .group(place.group())
                .coordinates(coordinates(place.coordinates()));
    }

    /**
     * As {@link #device}, with coordinates for who has no plane beside them.
     *
     * @see FabricModel#coordinatesInFabric
     */
    public FabricDeviceStatusBuilder deviceInFabric(int slot) {
        return device(slot).coordinates(coordinates(model.coordinatesInFabric(slot)));
    }

    /** Extents of the coordinates of {@link #deviceInFabric}. */
    public List<ShapeStatus> shapesInFabric() {
        return shapes(model.shapesInFabric());
    }

    private List<ShapeStatus> shapes(List<Shape> shapes) {
        return shapes.stream()
                .map(s -> new ShapeStatus(planeName(s.plane()), view(s.view()), s.dims(), s.sizes(), s.string()))
                .toList();
    }

    /** @return {@code null} for a switch that is not in the model */
    public @Nullable FabricSwitchStatusBuilder fabricSwitch(String id) {
        SwitchPosition place = model.switchPosition(id);
        return place == null
                ? null
                : FabricSwitchStatusBuilder.builder()
                        .fabric(fabric)
                        .level(place.level())
                        .group(place.group())
                        .coordinates(coordinates(place.coordinates()));
    }

    /** The name that a person gave to a plane, or its id. */
    private String planeName(String id) {
        return planeName(planeNames, id);
    }

    /** @param planeNames {@code spec.planes}, names in the order of the planes' numbers */
    public static String planeName(List<String> planeNames, String id) {
        for (int i = 0; i < planeNames.size(); i++) {
            if (id.equals(Integer.toString(i))) {
                return planeNames.get(i);
            }
        }
        return id;
    }

    private static List<CoordinateStatus> coordinates(List<Coordinate> coordinates) {
        return coordinates.stream()
                .map(c -> new CoordinateStatus(view(c.view()), c.values()))
                .toList();
    }

    private static ViewName view(View view) {
        return ViewName.valueOf(view.name());
    }
}
