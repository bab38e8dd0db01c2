/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.testdata.Costs;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Topology;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CostMatrixTest {
    static List<Dump> dumps() {
        return Dump.all();
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void keepsTheContract(Dump dump) {
        for (OfflineFabric fabric : OfflineFabrics.of(dump.cabling())) {
            List<Vertex> vertices = vertices(fabric.devices());
            assertContract(fabric.model().cost(), new Costs(fabric.switches(), vertices), 7);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void keepsTheContractOnAnything(long seed) {
        Wiring wiring = Wiring.random(seed, 5 + (int) seed * 11, 4 + (int) seed * 17, 3 + (int) seed * 9);
        assertContract(CostModel.of(wiring.topology()), new Costs(wiring.switches(), wiring.vertices()), 1);
    }

    /** Compares every {@code step}th row with the naive model. */
    private static void assertContract(CostMatrix cost, Costs naive, int step) {
        int maximum = 0;
        boolean symmetric = true;
        for (int from = 0; from < cost.vertices(); from += step) {
            short[] row = new short[cost.vertices()];
            cost.row(from, row);
            int[] expected = naive.row(from);
            for (int to = 0; to < row.length; to++) {
                int value = Short.toUnsignedInt(row[to]);
                assertThat(value).isEqualTo(expected[to]).isEqualTo(cost.cost(from, to));
                symmetric &= value == cost.cost(to, from);
                maximum = value == CostMatrix.UNREACHABLE ? maximum : Math.max(maximum, value);
            }
        }
        assertThat(cost.symmetric()).isEqualTo(symmetric);
        assertThat(cost.saturated()).isFalse();
        assertThat(cost.maximum()).isGreaterThanOrEqualTo(maximum);
        if (step == 1) {
            assertThat(cost.maximum()).isEqualTo(maximum);
        }
    }

    /** Hops between switches that hold devices, counted from costs between devices, are those of the truth. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ft2-128",
                "ft3-k18",
                "rail-32x8",
                "torus-6x6x6",
                "df-a4p2h2",
            })
    void countsTheHopsOfTheTruth(String name) {
        assertEdgePairHops(Dump.simulated(name));
        assertEdgePairHops(Dump.simulated(name).afterFault());
    }

    @Test
    void countsTheHopsOfRecordedFabricsWithOneSpeed() {
        assertEdgePairHops(Dump.NDR);
        assertEdgePairHops(Dump.ROCKET);
    }

    private static void assertEdgePairHops(Dump dump) {
        OfflineFabric fabric = OfflineFabrics.of(dump.cabling()).getFirst();
        Map<String, Integer> firstSlot = new TreeMap<>();
        for (int slot = 0; slot < fabric.devices().size(); slot++) {
            var place = fabric.model().device(slot);
            if (place != null && place.switchId() != null) {
                firstSlot.putIfAbsent(place.switchId(), slot);
            }
        }
        List<Integer> slots = new ArrayList<>(firstSlot.values());
        Map<String, Integer> pairs = new TreeMap<>();
        for (int i = 0; i < slots.size(); i++) {
            for (int j = 0; j < i; j++) {
                int between = fabric.model().cost().cost(slots.get(i), slots.get(j)) - 20;
                assertThat(between % 10).isZero();
                pairs.merge(String.valueOf(between / 10), 1, Integer::sum);
            }
        }
        Map<String, Integer> expected = new TreeMap<>();
        dump.truthJson()
                .path("edge_switch_pair_hops")
                .properties()
                .forEach(e -> expected.put(e.getKey(), e.getValue().asInt()));
        assertThat(pairs).isEqualTo(expected);
    }

    @Test
    void anEmptySlotIsARowAndColumnOfUnreachable() {
        Topology topology = Topology.of(
                List.of(one(port(1, "a", 1), port(2, "b", 1))),
                List.of(new Vertex(0, "a", 1, "h"), new Vertex(2, "b", 1, "h")));
        CostMatrix cost = CostModel.of(topology);

        assertThat(cost.vertices()).isEqualTo(3);
        assertThat(cost.cost(0, 2)).isEqualTo(20);
        assertThat(cost.cost(1, 1)).isEqualTo(CostMatrix.UNREACHABLE);
        assertThat(cost.cost(0, 1)).isEqualTo(CostMatrix.UNREACHABLE);
        assertThatThrownBy(() -> cost.cost(0, 3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> cost.cost(-1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> cost.row(0, new short[2])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aDeviceWithoutCableReachesOnlyItself() {
        Topology topology = Topology.of(
                List.of(one(port(1, "a", 1))), List.of(new Vertex(0, "a", 1, "h"), new Vertex(1, "b", 1, "h")));
        CostMatrix cost = CostModel.of(topology);

        assertThat(cost.cost(1, 1)).isZero();
        assertThat(cost.cost(0, 1)).isEqualTo(CostMatrix.UNREACHABLE);
        assertThat(cost.maximum()).isZero();
    }

    @Test
    void devicesWithoutAnySwitchAreAsFarAsOnOne() {
        CostMatrix cost =
                CostModel.of(Topology.of(List.of(), List.of(new Vertex(0, "a", 1, "x"), new Vertex(3, "b", 1, "y"))));

        assertThat(cost.cost(0, 3)).isEqualTo(20);
        assertThat(cost.cost(3, 3)).isZero();
        assertThat(cost.cost(1, 3)).isEqualTo(CostMatrix.UNREACHABLE);
    }

    @Test
    void saysThatPathsAreDearerThanSixteenBit() {
        Wiring wiring = new Wiring(1);
        int[] chain = wiring.nodes(30);
        for (int i = 1; i < chain.length; i++) {
            wiring.cable(chain[i - 1], chain[i], 1, 2_500_000_000L);
        }
        wiring.device(chain[0], "a", null, 2_500_000_000L).device(chain[29], "b", null, 800_000_000_000L);
        CostMatrix cost = CostModel.of(wiring.topology());

        assertThat(cost.cost(0, 1)).isEqualTo(CostMatrix.HIGHEST);
        assertThat(cost.saturated()).isTrue();
        assertThat(cost.maximum()).isEqualTo(CostMatrix.HIGHEST);
    }

    @Test
    void digestChangesWithCablesAndSlotsAndNothingElse() {
        Wiring wiring = Wiring.twoLevels(7, 4, 2, 3, 2);
        String digest = CostModel.of(wiring.topology()).digest();
        assertThat(digest).matches("[0-9a-f]{64}");

        List<Switch> reversed = new ArrayList<>(wiring.switches()).reversed();
        assertThat(CostModel.of(Topology.of(reversed, wiring.vertices())).digest())
                .isEqualTo(digest);

        List<Vertex> moved = wiring.vertices().stream()
                .map(v -> new Vertex(v.index() + 1, v.id(), v.port(), v.host()))
                .toList();
        assertThat(CostModel.of(Topology.of(wiring.switches(), moved)).digest()).isNotEqualTo(digest);
        assertThat(CostModel.of(Wiring.twoLevels(8, 4, 2, 3, 2).topology()).digest())
                .isNotEqualTo(digest);
    }

    private static List<Vertex> vertices(List<Device> devices) {
        List<Vertex> vertices = new ArrayList<>();
        for (Device device : devices) {
            vertices.add(new Vertex(vertices.size(), device.endId(), device.port(), device.hostname()));
        }
        return vertices;
    }

    private static Switch one(SwitchPort... ports) {
        return new Switch("s", null, null, null, null, "test", List.of(ports));
    }

    private static SwitchPort port(int number, String peer, int peerPort) {
        return new SwitchPort(number, new PortPeer(peer, peerPort), PortState.Active, Wiring.HDR, 4, null, null, null);
    }
}
