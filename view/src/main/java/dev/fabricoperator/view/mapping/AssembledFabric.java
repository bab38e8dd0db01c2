/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.ModelOptions;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What one fabric is made of.
 *
 * @param members by slot
 * @param switches of every connected part that it has to do with, ascending by id
 * @param vertices the members as the topology sees them
 */
public record AssembledFabric(
        String name,
        SortedMap<Integer, FabricMember> members,
        List<Switch> switches,
        List<Vertex> vertices,
        ModelOptions options) {

    /** Computes it anew. */
    public FabricModel model() {
        return model(null);
    }

    /**
     * As {@link #model()}, in less time where little has changed.
     *
     * @param last an earlier model of this fabric; the result does not depend on it
     */
    public FabricModel model(@Nullable FabricModel last) {
        return FabricModel.of(switches, vertices, options, last);
    }

    /** What people call a switch; {@code null} where nobody says. O(log switches). */
    public @Nullable String switchName(String id) {
        int from = 0;
        int to = switches.size() - 1;
        while (from <= to) {
            int middle = (from + to) >>> 1;
            int order = switches.get(middle).id().compareTo(id);
            if (order == 0) {
                return switches.get(middle).name();
            }
            if (order < 0) {
                from = middle + 1;
            } else {
                to = middle - 1;
            }
        }
        return null;
    }

    /** Without a walk over the whole fabric. */
    @Override
    public int hashCode() {
        return name.hashCode();
    }
}
