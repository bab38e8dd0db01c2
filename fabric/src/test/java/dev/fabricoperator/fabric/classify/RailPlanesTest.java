/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.finding.Finding;
import dev.fabricoperator.fabric.finding.FindingType;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.ModelOptions;
import dev.fabricoperator.fabric.model.Plane;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Components;
import dev.fabricoperator.fabric.topology.PlaneParts;
import dev.fabricoperator.fabric.topology.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Planes that nothing joins are planes of one fabric, with rails inside. */
class RailPlanesTest {
    private static FabricModel model(Wiring wiring) {
        return FabricModel.of(wiring.switches(), wiring.vertices());
    }

    private static int networks(Wiring wiring) {
        List<Components.Part> parts = Components.parts(wiring.switches());
        return (int) Arrays.stream(PlaneParts.firstOfNetwork(parts, wiring.switches()))
                .distinct()
                .count();
    }

    @ParameterizedTest
    @CsvSource({"1, 2, 4, 4, true", "2, 2, 4, 4, false", "3, 4, 3, 2, true", "4, 2, 2, 8, false"})
    void hostsHaveTheSameUnitInEachPlaneAndARailForEachCard(
            long seed, int planes, int units, int rails, boolean cards) {
        Wiring wiring = Wiring.railPlanes(seed, planes, units, rails, 6, 4, cards);
        FabricModel model = model(wiring);
        assertThat(networks(wiring)).isOne();
        assertThat(model.kind()).isEqualTo(FabricKind.RailOptimized);
        assertThat(model.planes()).hasSize(planes).extracting(Plane::devices).containsOnly(units * rails * 6);
        assertThat(model.defaultShape().string()).isEqualTo(units + "x" + rails + "x6");
        assertThat(model.partitions()).isOne();
        assertThat(model.findings()).isEmpty();
        Topology topology = model.topology();
        Map<String, Set<Integer>> unitsOfHost = new HashMap<>();
        Map<String, Set<List<Integer>>> places = new HashMap<>();
        for (int end = 0; end < topology.ends(); end++) {
            List<Integer> logical = Objects.requireNonNull(
                            model.numbering().devices().get(new PortPeer(topology.endId(end), topology.endPort(end))))
                    .logical();
            String host = String.valueOf(topology.endHost(end));
            unitsOfHost.computeIfAbsent(host, h -> new TreeSet<>()).add(logical.getFirst());
            String osName = String.valueOf(topology.endOsName(end));
            int device = Integer.parseInt(osName.substring("mlx5_".length()));
            assertThat(logical.get(1)).as(osName).isEqualTo(cards ? device : device / planes);
            assertThat(model.classification().planeOfEnd()[end])
                    .as(osName)
                    .isEqualTo(cards ? topology.endPort(end) - 1 : device % planes);
            assertThat(places.computeIfAbsent(
                                    String.valueOf(model.classification().planeOfEnd()[end]), p -> new HashSet<>())
                            .add(logical))
                    .isTrue();
        }
        assertThat(unitsOfHost)
                .hasSize(units * 6)
                .allSatisfy((host, of) -> assertThat(of).hasSize(1));
    }

    @Test
    void aLostPlaneLeavesTheOtherAsItIsAndComesBackWithItsNumbers() {
        Wiring wiring = Wiring.railPlanes(5, 2, 4, 4, 6, 4, true);
        FabricModel whole = model(wiring);
        List<Switch> one = new ArrayList<>(wiring.switches());
        one.removeIf(
                each -> whole.classification().planeOfSwitch()[whole.topology().switchIndex(each.id())] == 0);
        FabricModel rest = FabricModel.of(one, wiring.vertices(), new ModelOptions(whole.numbering(), Weights.NONE));
        assertThat(rest.kind()).isEqualTo(FabricKind.RailOptimized);
        assertThat(rest.planes()).extracting(Plane::id, Plane::switches).containsExactly(tuple("0", 0), tuple("1", 20));
        for (Switch each : one) {
            assertThat(rest.numbering().switches().get(each.id()))
                    .isEqualTo(whole.numbering().switches().get(each.id()));
        }
        FabricModel again =
                FabricModel.of(wiring.switches(), wiring.vertices(), new ModelOptions(rest.numbering(), Weights.NONE));
        assertThat(again.planes()).isEqualTo(whole.planes());
        assertThat(again.kind()).isEqualTo(FabricKind.RailOptimized);
    }

    @Test
    void aPlaneThatLacksALeafWhenItIsFirstSeenIsAPlane() {
        Wiring wiring = Wiring.railPlanes(6, 2, 4, 4, 6, 4, true);
        FabricModel whole = model(wiring);
        List<Switch> left = new ArrayList<>(wiring.switches());
        left.remove(left.stream()
                .filter(each -> whole.topology().switchIndex(each.id()) >= 0
                        && whole.classification()
                                        .levelOfSwitch()[whole.topology().switchIndex(each.id())]
                                == 1)
                .findFirst()
                .orElseThrow());
        FabricModel damaged = FabricModel.of(left, wiring.vertices());
        assertThat(damaged.planes()).hasSize(2);
        assertThat(damaged.findings()).extracting(Finding::type).doesNotContain(FindingType.Partition);
    }

    @Test
    void aNetworkForStorageBesideOneForComputingIsNoPlaneOfIt() {
        Wiring otherSize = Wiring.rails(7, 4, 4, 6, 4, 1).withNamedHosts();
        int[] storage = otherSize.nodes(2);
        int top = otherSize.node();
        otherSize.cable(storage[0], top, 4).cable(storage[1], top, 4);
        Wiring otherSpeed = new Wiring(8).withNamedHosts();
        int[] fast = otherSpeed.nodes(2);
        int[] slow = otherSpeed.nodes(2);
        otherSpeed.cable(fast[0], fast[1], 4).cable(slow[0], slow[1], 4);
        for (int host = 0; host < 24; host++) {
            otherSize.device(storage[host % 2], "u" + host / 6 + "h" + host % 6, "mlx5_9");
            otherSpeed.device(fast[host % 2], "h" + host, "mlx5_0", 2 * Wiring.HDR);
            otherSpeed.device(slow[host % 2], "h" + host, "mlx5_1", Wiring.HDR);
        }
        Wiring otherHosts = Wiring.railPlanes(9, 2, 2, 2, 6, 2, false);
        int leaf = otherHosts.node();
        for (int host = 0; host < 4; host++) {
            otherHosts.device(leaf, "oss" + host, "mlx5_0");
        }
        assertThat(networks(otherSize)).isEqualTo(2);
        assertThat(networks(otherSpeed)).isEqualTo(2);
        assertThat(networks(otherHosts)).isEqualTo(2);
    }
}
