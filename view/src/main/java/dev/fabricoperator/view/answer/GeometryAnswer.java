/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.fabric.coordinate.View;
import dev.fabricoperator.fabric.query.Geometry;
import java.util.List;
import java.util.Objects;

/**
 * Where a device stands in the space that its plane spans.
 *
 * @see "PMIx Standard, pmix_geometry_t"
 * @see Geometry
 */
@JsonPropertyOrder({
    "index",
    "device",
    "id",
    "fabric",
    "fabricIndex",
    "generation",
    "plane",
    "view",
    "dims",
    "coordinate",
    "shape",
    "shapeString"
})
public record GeometryAnswer(
        int index,
        String device,
        String id,
        String fabric,
        int fabricIndex,
        long generation,
        String plane,
        View view,
        int dims,
        List<Integer> coordinate,
        List<Integer> shape,
        String shapeString) {

    /** Of several devices. */
    public record Several(List<GeometryAnswer> answers) {}

    /** @param slot one that is in use */
    public static GeometryAnswer of(FabricView fabric, int slot, View view) {
        NamedDevice device = Objects.requireNonNull(fabric.device(slot));
        Geometry geometry = Objects.requireNonNull(fabric.query().geometry(slot, view));
        return new GeometryAnswer(
                slot,
                device.name(),
                device.id(),
                fabric.name(),
                fabric.index(),
                fabric.generation(),
                fabric.planeName(geometry.plane()),
                view,
                geometry.dims(),
                geometry.coordinate(),
                geometry.shape(),
                geometry.shapeString());
    }
}
