/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cost.Weights;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.finding.Finding;
import dev.fabricoperator.fabric.finding.FindingType;
import dev.fabricoperator.fabric.model.FabricModel;
import dev.fabricoperator.fabric.model.ModelOptions;
import dev.fabricoperator.fabric.model.Plane;
import dev.fabricoperator.fabric.numbering.Numbering;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Components;
import dev.fabricoperator.fabric.topology.PlaneParts;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
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

    /** Statuses are written one after another, the Fabric's kind among them. */
    @ParameterizedTest
    @CsvSource({"1", "2", "1000"})
    void railsAreThePlanesWhileStatusesOfAnotherKindAreStillThere(int everyNth) {
        Wiring wiring = Wiring.rails(5, 4, 4, 6, 4, 2);
        FabricModel rails = model(wiring);
        Map<PortPeer, Numbering.OfDevice> devices =
                new HashMap<>(rails.numbering().devices());
        int number = 0;
        for (Map.Entry<PortPeer, Numbering.OfDevice> each : devices.entrySet()) {
            if (number++ % everyNth == 0) {
                each.setValue(new Numbering.OfDevice("0", 0, List.of(number % 4, number % 3, number % 6)));
            }
        }
        Numbering half =
                new Numbering(FabricKind.RailOptimized.name(), rails.numbering().switches(), devices);
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices(), new ModelOptions(half, Weights.NONE));
        assertThat(model.planes()).hasSize(4);
        assertThat(model.classification().planeIsAnAxis()).isTrue();
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

    private static Map<String, List<Integer>> addresses(FabricModel model) {
        Map<String, List<Integer>> addresses = new HashMap<>();
        model.numbering().switches().forEach((id, place) -> addresses.put(id, place.logical()));
        return addresses;
    }

    private static Switch withPort(Switch node, String peer, int peerPort, String host) {
        List<SwitchPort> ports = new ArrayList<>(node.ports());
        ports.add(new SwitchPort(
                200 + ports.size(),
                new PortPeer(peer, peerPort),
                PortState.Active,
                Wiring.HDR,
                4,
                null,
                host.isEmpty() ? null : host,
                null));
        return SwitchBuilder.from(node).withPorts(ports);
    }

    /** The first switch of a level and plane. */
    private static int at(FabricModel model, int level, int plane) {
        int at = 0;
        while (model.classification().levelOfSwitch()[at] != level
                || model.classification().planeOfSwitch()[at] != plane) {
            at++;
        }
        return at;
    }

    /** Whoever plugs one cable into the wrong plane must not renumber a fabric. */
    @ParameterizedTest
    @CsvSource({"2, 2", "1, 2", "1, 1"})
    void aCableBetweenPlanesLeavesKindAndNumbersAsTheyAre(int levelInOne, int levelInOther) {
        Wiring wiring = Wiring.railPlanes(5, 2, 4, 4, 6, 4, true);
        FabricModel whole = model(wiring);
        String one = whole.topology().switchId(at(whole, levelInOne, 0));
        String other = whole.topology().switchId(at(whole, levelInOther, 1));
        List<Switch> wrong = new ArrayList<>();
        for (Switch each : wiring.switches()) {
            Switch cabled = each.id().equals(one) ? withPort(each, other, 250, "") : each;
            wrong.add(each.id().equals(other) ? withPort(each, one, 200, "") : cabled);
        }
        FabricModel model = FabricModel.of(wrong, wiring.vertices(), new ModelOptions(whole.numbering(), Weights.NONE));
        assertThat(model.kind()).isEqualTo(FabricKind.RailOptimized);
        assertThat(model.planes()).hasSize(2);
        assertThat(addresses(model)).isEqualTo(addresses(whole));
    }

    @Test
    void aLeafWhoseUplinksAreYetToComeLeavesTheOthersAsTheyAre() {
        Wiring wiring = Wiring.railPlanes(5, 2, 4, 4, 6, 4, true);
        FabricModel whole = model(wiring);
        Switch leaf = new Switch("00000000000000ff", "new", null, null, null, "test", List.of());
        leaf = withPort(withPort(leaf, "0000000000000aa1", 1, "new1"), "0000000000000aa2", 1, "new2");
        List<Switch> grown = new ArrayList<>(wiring.switches());
        grown.add(leaf);
        List<Vertex> vertices = new ArrayList<>(wiring.vertices());
        vertices.add(new Vertex(vertices.size(), "0000000000000aa1", 1, "new1", "mlx5_0"));
        vertices.add(new Vertex(vertices.size(), "0000000000000aa2", 1, "new2", "mlx5_0"));
        FabricModel model = FabricModel.of(grown, vertices, new ModelOptions(whole.numbering(), Weights.NONE));
        assertThat(model.kind()).isEqualTo(FabricKind.RailOptimized);
        assertThat(model.planes()).hasSize(2);
        assertThat(addresses(model)).containsAllEntriesOf(addresses(whole));
        assertThat(FabricModel.of(grown, vertices).planes()).hasSize(2);
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
        Wiring aSwitchEach = new Wiring(10).withNamedHosts();
        int[] alike = aSwitchEach.nodes(2);
        Wiring ports = new Wiring(11).withNamedHosts();
        int[] ofOneCard = ports.nodes(2);
        for (int host = 0; host < 8; host++) {
            aSwitchEach.device(alike[0], "h" + host, "mlx5_0").device(alike[1], "h" + host, "mlx5_1");
            ports.card("h" + host, ofOneCard);
        }
        assertThat(networks(aSwitchEach)).isEqualTo(2);
        assertThat(networks(ports)).isOne();
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
