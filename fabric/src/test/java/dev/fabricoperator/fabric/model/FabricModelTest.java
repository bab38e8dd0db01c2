/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.OfflineFabric;
import dev.fabricoperator.fabric.OfflineFabrics;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.testdata.Dump;
import dev.fabricoperator.fabric.testdata.Wiring;
import dev.fabricoperator.fabric.topology.Vertex;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FabricModelTest {
    static List<Dump> dumps() {
        return Dump.all();
    }

    @ParameterizedTest
    @MethodSource("dumps")
    void offlineDevicesStandInTheirSlots(Dump dump) {
        for (OfflineFabric fabric : OfflineFabrics.of(dump.cabling())) {
            FabricModel model = fabric.model();
            assertThat(fabric.devices()).isSortedAccordingTo(Device.OFFLINE_ORDER);
            assertThat(model.devices())
                    .isEqualTo(fabric.devices().size())
                    .isEqualTo(model.cost().vertices());
            assertThat(model.unmanagedDevices()).isZero();
            assertThat(model.switches()).isEqualTo(fabric.switches().size());
            assertThat(model.partitions()).isEqualTo(1);
            for (int slot = 0; slot < model.devices(); slot++) {
                Device device = fabric.devices().get(slot);
                DevicePosition place = Objects.requireNonNull(model.device(slot));
                assertThat(place.switchId())
                        .isEqualTo(Objects.requireNonNull(device.neighbor()).id());
                assertThat(String.valueOf(place.switchPort()))
                        .isEqualTo(device.neighbor().port());
                assertThat(place.coordinates()).hasSize(2);
                SwitchPosition at =
                        Objects.requireNonNull(model.switchPosition(Objects.requireNonNull(place.switchId())));
                assertThat(at.level()).isEqualTo(1);
            }
            assertThat(fabric.devices().stream().map(Device::deviceId)).doesNotHaveDuplicates();
        }
    }

    @Test
    void bothPortsOfOneAdapterAreDevicesOfTheirOwn() {
        OfflineFabric rocket = OfflineFabrics.of(Dump.ROCKET.cabling()).getFirst();
        Map<String, List<Device>> ports = rocket.devices().stream().collect(Collectors.groupingBy(Device::endId));
        assertThat(ports).hasSize(144);
        List<Device> both =
                ports.values().stream().filter(p -> p.size() == 2).findFirst().orElseThrow();
        assertThat(both.getFirst().deviceId()).matches("fab://[0-9a-f:]{19}::[0-9a-f:]{19}#1");
        assertThat(both.getLast().deviceId()).matches("fab://[0-9a-f:]{19}::[0-9a-f:]{19}#2");
    }

    @Test
    void unmanagedDevicesCountAndHaveNoSlot() {
        Wiring wiring = Wiring.twoLevels(4, 4, 2, 6, 1);
        List<Vertex> few =
                wiring.vertices().stream().filter(v -> v.index() % 3 == 1).toList();
        FabricModel model = FabricModel.of(wiring.switches(), few);

        assertThat(model.devices()).isEqualTo(8);
        assertThat(model.unmanagedDevices()).isEqualTo(16);
        assertThat(model.links()).isEqualTo(4 * 2 + 24);
        assertThat(model.hosts()).isEqualTo(8);
        assertThat(model.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(model.defaultShape().string()).isEqualTo("4x6");
        assertThat(model.isUsed(1)).isTrue();
        assertThat(model.isUsed(0)).isFalse();
        assertThat(model.isUsed(-1)).isFalse();
        assertThat(model.isUsed(1000)).isFalse();
        assertThat(model.device(0)).isNull();
        assertThat(model.switchPosition("no such switch")).isNull();
        assertThat(model.cost().vertices()).isEqualTo(23);
    }

    @Test
    void railsShowWithoutAnyManagedHost() {
        List<Switch> switches = Dump.NDR.cabling().switches();
        FabricModel unmanaged = FabricModel.of(switches, List.of());

        assertThat(unmanaged.kind()).isEqualTo(FabricKind.RailOptimized);
        assertThat(unmanaged.devices()).isZero();
        assertThat(unmanaged.hosts()).isEqualTo(121);
        assertThat(unmanaged.planes()).hasSize(4);
    }

    @Test
    void aHostHasOneNameWhateverItsUnmanagedDevicesSay() {
        List<SwitchPort> ports = new ArrayList<>();
        for (int n = 1; n <= 2; n++) {
            ports.add(new SwitchPort(
                    n, new PortPeer("dev" + n, 1), PortState.Active, null, null, null, "node1", "mlx5_" + n));
        }
        Switch one = new Switch("s", null, null, null, null, "test", ports);
        FabricModel model = FabricModel.of(List.of(one), List.of(new Vertex(0, "dev1", 1, "node1.example.org")));

        assertThat(model.hosts()).isEqualTo(1);
        assertThat(model.topology().endHost(1)).isEqualTo("node1.example.org");
        assertThat(model.topology().endOsName(1)).isEqualTo("mlx5_2");
    }

    @Test
    void aFabricThatIsCutInTwoStaysOneWithTwoPartitions() {
        Wiring wiring = Wiring.twoLevels(5, 4, 2, 3, 1);
        int[] spines = wiring.nodes(2);
        for (int leaf = 0; leaf < 3; leaf++) {
            int node = wiring.node();
            wiring.cable(node, spines[0], 1).cable(node, spines[1], 1);
            wiring.device(node, "other" + leaf, null);
        }
        FabricModel model = FabricModel.of(wiring.switches(), wiring.vertices());

        assertThat(model.partitions()).isEqualTo(2);
        assertThat(model.kind()).isEqualTo(FabricKind.FatTree);
        assertThat(model.planes()).containsExactly(new Plane("0", 15, 11));
        assertThat(model.groups()).isEqualTo(7);
    }

    @Test
    void aDeviceWithoutCableHasNoPlaceAndIsAProblem() {
        SwitchPort port = new SwitchPort(1, new PortPeer("a", 1), PortState.Active, null, null, null, null, null);
        Switch one = new Switch("s", null, null, null, null, "test", List.of(port));
        FabricModel model =
                FabricModel.of(List.of(one), List.of(new Vertex(0, "a", 1, "x"), new Vertex(1, "b", 1, "y")));

        DevicePosition place = Objects.requireNonNull(model.device(1));
        assertThat(place.switchId()).isNull();
        assertThat(place.switchPort()).isNull();
        assertThat(place.group()).isNull();
        assertThat(place.coordinates()).isEmpty();
        assertThat(model.findings())
                .singleElement()
                .satisfies(p -> assertThat(p.message()).contains("device b port 1 has no cable"));
    }

    @Test
    void withoutSwitchesAFabricIsFlat() {
        List<Vertex> vertices = new ArrayList<>();
        for (int slot = 0; slot < 6; slot += 2) {
            vertices.add(new Vertex(slot, "d" + slot, 0, "h" + slot));
        }
        FabricModel model = FabricModel.of(List.of(), vertices);

        assertThat(model.kind()).isEqualTo(FabricKind.Flat);
        assertThat(model.groups()).isEqualTo(1);
        assertThat(model.partitions()).isEqualTo(1);
        assertThat(model.defaultShape().string()).isEqualTo("5");
        assertThat(Objects.requireNonNull(model.device(4))
                        .coordinates()
                        .getFirst()
                        .values())
                .containsExactly(4);
        assertThat(model.findings()).isEmpty();
        assertThat(FabricModel.of(List.of(), List.of()).devices()).isZero();
    }
}
