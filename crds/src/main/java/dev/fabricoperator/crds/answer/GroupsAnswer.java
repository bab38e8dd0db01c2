/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds.answer;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.fabric.query.FabricQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which hosts are near each other.
 *
 * @param groups ascending
 * @param string the same in the standard's notation
 * @see "PMIx Standard, PMIX_FABRIC_GROUPS"
 */
@JsonPropertyOrder({"fabric", "generation", "groups", "string"})
public record GroupsAnswer(String fabric, long generation, List<Group> groups, String string) {

    /** @param hosts ascending */
    @JsonPropertyOrder({"group", "hosts"})
    public record Group(int group, List<String> hosts) {}

    /** @param plane id of the only plane that counts; {@code null} for all */
    public static GroupsAnswer of(NamedFabric fabric, @Nullable String plane) {
        SortedMap<Integer, List<String>> groups = plane == null ? fabric.query().groups() : ofPlane(fabric, plane);
        List<Group> listed = new ArrayList<>();
        groups.forEach((group, hosts) -> listed.add(new Group(group, hosts)));
        return new GroupsAnswer(fabric.name(), fabric.generation(), listed, FabricQuery.string(groups));
    }

    private static SortedMap<Integer, List<String>> ofPlane(NamedFabric fabric, String plane) {
        SortedMap<Integer, SortedSet<String>> found = new TreeMap<>();
        for (int slot = 0; slot < fabric.query().vertices(); slot++) {
            NamedDevice device = fabric.device(slot);
            DevicePosition place = fabric.model().device(slot);
            if (device != null && place != null && place.group() != null && plane.equals(place.plane())) {
                found.computeIfAbsent(place.group(), g -> new TreeSet<>())
                        .add(device.hostname().isEmpty() ? device.id() : device.hostname());
            }
        }
        SortedMap<Integer, List<String>> groups = new TreeMap<>();
        found.forEach((group, hosts) -> groups.put(group, List.copyOf(hosts)));
        return groups;
    }
}
