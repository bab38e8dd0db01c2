/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What holds for every kind of fabric, whoever recognised it. Plain checks in loops: building a fluent assertion costs
 * more than what it tests.
 */
public final class ClassificationContract {
    private ClassificationContract() {}

    public static void assertHolds(Topology topology, Classification found) {
        assertThat(found.levelOfSwitch()).hasSize(topology.switches());
        assertThat(found.groupOfSwitch()).hasSize(topology.switches());
        assertThat(found.planeOfSwitch()).hasSize(topology.switches());
        assertThat(found.planes()).isPositive();
        Map<String, Integer> groupOfHost = new HashMap<>();
        for (int end = 0; end < topology.ends(); end++) {
            int group = found.groupOfEnd()[end];
            int at = topology.endSwitch(end);
            requireBetween(found.planeOfEnd()[end], 0, found.planes() - 1);
            requireBetween(group, at < 0 && topology.switches() > 0 ? -1 : 0, found.groups() - 1);
            String host = topology.endHost(end);
            if (host != null && group >= 0) {
                requireBetween(groupOfHost.computeIfAbsent(host, h -> group), group, group);
            }
            require(at < 0 || found.levelOfSwitch()[at] == 1);
        }
        assertLevels(topology, found);
        assertAddresses(topology, found);
    }

    private static void assertLevels(Topology topology, Classification found) {
        for (int s = 0; s < topology.switches(); s++) {
            int level = found.levelOfSwitch()[s];
            int nearest = Integer.MAX_VALUE;
            for (int n = topology.firstNeighbor(s); n < topology.firstNeighbor(s + 1); n++) {
                int near = found.levelOfSwitch()[topology.neighbor(n)];
                nearest = near < 0 ? nearest : Math.min(nearest, near);
            }
            require(level < 2 || level == nearest + 1);
        }
    }

    private static void assertAddresses(Topology topology, Classification found) {
        Set<List<Integer>> seen = new HashSet<>();
        for (int s = 0; s < topology.switches(); s++) {
            if (found.levelOfSwitch()[s] == 1) {
                List<Integer> address = new ArrayList<>();
                address.add(found.planeOfSwitch()[s]);
                for (int[] axis : found.axes()) {
                    assertThat(axis[s]).isNotNegative();
                    address.add(axis[s]);
                }
                require(seen.add(address));
            }
        }
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new AssertionError("the contract is broken");
        }
    }

    private static void requireBetween(int value, int lowest, int highest) {
        if (value < lowest || value > highest) {
            throw new AssertionError(value + " is not between " + lowest + " and " + highest);
        }
    }
}
