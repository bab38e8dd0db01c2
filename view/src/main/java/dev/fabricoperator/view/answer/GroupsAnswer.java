/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.answer;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.fabricoperator.fabric.finding.GroupNames;
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
 * @param unresolved what they do not tell, in sentences
 * @see "PMIx Standard, PMIX_FABRIC_GROUPS"
 */
@JsonPropertyOrder({"fabric", "generation", "groups", "string", "unresolved"})
public record GroupsAnswer(
        String fabric,
        long generation,
        List<Group> groups,
        String string,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> unresolved) {

    public GroupsAnswer {
        // Earlier servers say nothing of it.
        unresolved = unresolved == null ? List.of() : List.copyOf(unresolved);
    }

    /**
     * @param name the site's own word for it, which the names of its switches share; {@code null} where they share none
     * @param hosts ascending
     */
    @JsonPropertyOrder({"group", "name", "hosts"})
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Group(int group, @Nullable String name, List<String> hosts) {}

    /** @param plane id of the only plane that counts; {@code null} for all */
    public static GroupsAnswer of(FabricView fabric, @Nullable String plane) {
        SortedMap<Integer, List<String>> groups = plane == null ? fabric.query().groups() : ofPlane(fabric, plane);
        GroupNames names =
                GroupNames.of(fabric.model().topology(), fabric.model().classification());
        List<Group> listed = new ArrayList<>();
        groups.forEach(
                (group, hosts) -> listed.add(new Group(group, names.isNamed(group) ? names.name(group) : null, hosts)));
        return new GroupsAnswer(
                fabric.name(),
                fabric.generation(),
                listed,
                FabricQuery.string(groups),
                fabric.model().unresolved());
    }

    private static SortedMap<Integer, List<String>> ofPlane(FabricView fabric, String plane) {
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
