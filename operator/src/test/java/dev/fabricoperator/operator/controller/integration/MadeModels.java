/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.integration;

import dev.fabricoperator.crds.FabricSpec;
import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.topology.Vertex;
import dev.fabricoperator.operator.cluster.DeviceFacts;
import dev.fabricoperator.operator.cluster.DeviceFactsBuilder;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.cluster.FactStores;
import dev.fabricoperator.operator.model.ClusterModel;
import dev.fabricoperator.operator.model.ClusterModel.MissingFabrics;
import dev.fabricoperator.operator.model.FabricNumbers;
import dev.fabricoperator.operator.model.FabricState;
import dev.fabricoperator.operator.model.FailedFabric;
import dev.fabricoperator.operator.model.FlapDamping;
import dev.fabricoperator.operator.model.Inventory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Models of small fabrics, for tests of what other systems are told. */
public final class MadeModels {
    private MadeModels() {}

    public static FabricFacts facts(String name, FabricSpec spec, Set<String> notIntegrated) {
        return new FabricFacts(name, name, "1", 1, false, false, null, "", notIntegrated, spec, null, null);
    }

    public static FabricState fabric(String name, int index, FabricSpec spec, boolean switched, String... nodes) {
        return fabric(name, index, spec, Set.of(), switched, nodes);
    }

    /** All nodes at one switch, if any is known. */
    public static FabricState fabric(
            String name, int index, FabricSpec spec, Set<String> notIntegrated, boolean switched, String... nodes) {
        TreeMap<Integer, DeviceFacts> members = new TreeMap<>();
        List<Vertex> vertices = new ArrayList<>();
        List<SwitchPort> ports = new ArrayList<>();
        for (int slot = 0; slot < nodes.length; slot++) {
            String end = "%016x".formatted(0xd000 + index * 0x100 + slot);
            members.put(slot, DeviceFactsBuilder.builder().nodeName(nodes[slot]).build());
            vertices.add(new Vertex(slot, end, 1, nodes[slot], "mlx5_0"));
            ports.add(SwitchPortBuilder.builder()
                    .number(slot + 1)
                    .peer(new PortPeer(end, 1))
                    .state(PortState.Active)
                    .build());
        }
        List<Switch> switches = switched
                ? List.of(SwitchBuilder.builder()
                        .id("%016x".formatted(0xa000 + index))
                        .source("")
                        .ports(ports)
                        .build())
                : List.of();
        return new FabricState(
                facts(name, spec, notIntegrated),
                index,
                members,
                switches,
                vertices,
                new TreeSet<>(),
                0,
                0,
                FabricModel.of(switches, vertices),
                1,
                List.of(),
                List.of(),
                List.of());
    }

    public static ClusterModel model(FabricState... states) {
        TreeMap<String, FabricState> fabrics = new TreeMap<>();
        for (FabricState state : states) {
            fabrics.put(state.name(), state);
        }
        return model(fabrics, new TreeMap<>());
    }

    public static ClusterModel model(TreeMap<String, FailedFabric> failed) {
        return model(new TreeMap<>(), failed);
    }

    private static ClusterModel model(TreeMap<String, FabricState> fabrics, TreeMap<String, FailedFabric> failed) {
        return new ClusterModel(
                Inventory.of(new FactStores(SteadyClock.system()), List.of()),
                fabrics,
                failed,
                Map.of(),
                Map.of(),
                Map.of(),
                Map.of(),
                new FlapDamping.History(new TreeMap<>(), Map.of(), Map.of(), Map.of(), 0, 0),
                FabricNumbers.START,
                new MissingFabrics(List.of(), FabricNumbers.START));
    }
}
