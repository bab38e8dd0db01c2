/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.model;

import dev.fabricoperator.crds.FabricChange;
import dev.fabricoperator.crds.PortRef;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Vertex;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.FabricFacts;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * One Fabric as it should be.
 *
 * @param index {@code status.index}
 * @param members by slot
 * @param switches of every connected part that belongs to it, by id
 * @param vertices the members as the topology sees them
 * @param sources labels of the topology sources that speak of the switches
 * @param managedElsewhere devices of other Fabrics that are cabled to the same switches
 * @param uncabled members that no source shows cabled
 * @param generation of topology, cost and membership together
 * @param changes what the newest generations brought
 * @param damped ports of its switches that count as down
 * @param impairedPorts of its switches, by the ids of these and their numbers
 */
@RecordBuilder
public record FabricState(
        FabricFacts facts,
        int index,
        SortedMap<Integer, DeviceFacts> members,
        List<Switch> switches,
        List<Vertex> vertices,
        SortedSet<String> sources,
        int managedElsewhere,
        int uncabled,
        FabricModel model,
        long generation,
        List<FabricChange> changes,
        List<PortRef> damped,
        List<ImpairedPort> impairedPorts)
        implements FabricStateBuilder.With {
    public String name() {
        return facts.name();
    }

    /** Without a walk over the whole fabric. */
    @Override
    public int hashCode() {
        return Objects.hash(name(), generation);
    }
}
