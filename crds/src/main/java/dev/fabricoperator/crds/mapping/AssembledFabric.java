/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds.mapping;

import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.ModelOptions;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.List;
import java.util.SortedMap;

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

    /** Computes it anew; see {@link FabricModel} for what that costs. */
    public FabricModel model() {
        return FabricModel.of(switches, vertices, options);
    }
}
