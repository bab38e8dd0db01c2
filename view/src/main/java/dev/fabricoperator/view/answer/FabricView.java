/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.query.FabricQuery;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One generation of a fabric, with the names that people and objects have for its parts. */
public interface FabricView {
    String name();

    /** Number of the fabric (PMIX_FABRIC_INDEX). */
    int index();

    long generation();

    FabricModel model();

    FabricQuery query();

    /** The device in a slot; {@code null} for an empty one. */
    @Nullable
    NamedDevice device(int slot);

    /** What people call a switch; {@code null} where nobody says. */
    @Nullable
    String switchName(String id);

    /** Ascending by id. */
    List<Switch> switches();

    /** Slots in use, by what their devices are called. */
    DeviceIds<Integer> ids();

    /**
     * Whether the device in a slot is on a plane.
     *
     * @param plane id of it; {@code null} stands for all
     */
    default boolean isOn(@Nullable String plane, int slot) {
        DevicePosition place = plane == null ? null : model().device(slot);
        return plane == null || (place != null && plane.equals(place.plane()));
    }

    /** {@code spec.planes}: the names that a person gave to the planes, by number. */
    List<String> planeNames();

    /** The id that the model gave to a plane, for the name that a person gave to it. */
    default String planeId(String name) {
        int number = planeNames().indexOf(name);
        return number < 0 ? name : Integer.toString(number);
    }

    /** The name that a person gave to a plane, or its id. */
    default String planeName(String id) {
        List<String> names = planeNames();
        for (int i = 0; i < names.size(); i++) {
            if (id.equals(Integer.toString(i))) {
                return names.get(i);
            }
        }
        return id;
    }
}
