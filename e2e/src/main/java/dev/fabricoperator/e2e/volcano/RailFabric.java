/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.volcano;

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.SwitchPortSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A rail-optimised fabric of two levels, two spines over all leaves: a unit has one leaf for each rail, and each of its nodes one device at each of them.
 *
 * @param nodes a leaf of it is a unit here
 */
public record RailFabric(TreeFabric nodes, int rails) {
    private static final int SPINES = 2;

    public RailFabric {
        if (nodes.pods() != 1) {
            throw new IllegalArgumentException("units stand in no pods");
        }
    }

    /** As many for each node as there are rails. */
    public List<FabricDevice> deviceObjects() {
        return IntStream.range(0, nodes.nodes() * rails)
                .mapToObj(device -> TreeFabric.device(device, device / rails, device % rails))
                .toList();
    }

    /** Leaves, then spines. */
    public List<FabricSwitch> switchObjects() {
        int leaves = nodes.leaves() * rails;
        List<FabricSwitch> switches = new ArrayList<>();
        for (int leaf = 0; leaf < leaves; leaf++) {
            int unit = leaf / rails;
            List<SwitchPortSpec> ports = new ArrayList<>();
            for (int node = unit * nodes.nodesOfALeaf(); node < (unit + 1) * nodes.nodesOfALeaf(); node++) {
                ports.add(TreeFabric.port(ports.size() + 1, TreeFabric.deviceGuid(node * rails + leaf % rails), 1));
            }
            for (int spine = 0; spine < SPINES; spine++) {
                ports.add(TreeFabric.port(ports.size() + 1, TreeFabric.switchGuid(leaves + spine), leaf + 1));
            }
            switches.add(TreeFabric.fabricSwitch(TreeFabric.switchGuid(leaf), ports));
        }
        for (int spine = 0; spine < SPINES; spine++) {
            List<SwitchPortSpec> ports = new ArrayList<>();
            for (int leaf = 0; leaf < leaves; leaf++) {
                ports.add(TreeFabric.port(leaf + 1, TreeFabric.switchGuid(leaf), nodes.nodesOfALeaf() + spine + 1));
            }
            switches.add(TreeFabric.fabricSwitch(TreeFabric.switchGuid(leaves + spine), ports));
        }
        return switches;
    }
}
