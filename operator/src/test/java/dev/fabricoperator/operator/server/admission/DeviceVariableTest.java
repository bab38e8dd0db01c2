/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Fabric;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricDeviceStatusBuilder;
import dev.fabricoperator.crds.FabricSpecBuilder;
import dev.fabricoperator.crds.FabricStatusBuilder;
import dev.fabricoperator.crds.Purpose;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.operator.cluster.FabricFacts;
import dev.fabricoperator.operator.server.served.JobTraffic;
import dev.fabricoperator.operator.server.served.ServedDevice;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class DeviceVariableTest {
    @Test
    void devicesStandInTheOrderOfTheirPlanesWhateverTheirNames() {
        DeviceVariable.Node node = usable(
                List.of(
                        device("mlx5_0", "p2", 5, s -> s),
                        device("mlx5_1", "p1", 9, s -> s),
                        device("mlx5_3", "p1", 2, s -> s)),
                List.of());
        assertThat(DeviceVariable.NCCL_IB_HCA.on(node, false)).isEqualTo("=mlx5_3:1,mlx5_1:1,mlx5_0:1");
        assertThat(DeviceVariable.UCX_NET_DEVICES.on(node, false)).isEqualTo("mlx5_3:1,mlx5_1:1,mlx5_0:1");
        assertThat(DeviceVariable.FI_EFA_IFACE.on(node, false)).isEqualTo("all");
    }

    @Test
    void devicesOfManagementAndOfStorageAndThoseThatAreDownOrVirtualAreLeftOut() {
        Fabric storage = new Fabric();
        storage.setMetadata(new ObjectMetaBuilder().withName("storage").build());
        storage.setSpec(FabricSpecBuilder.builder().purpose(Purpose.Storage).build());
        FabricDevice stored = device("mlx5_2", "p1", 1, s -> s);
        stored.setStatus(FabricDeviceStatusBuilder.builder()
                .fabric("storage")
                .plane("p1")
                .build());
        DeviceVariable.Node node = usable(
                List.of(
                        stored,
                        device("eno1", "p1", 1, s -> s.role(Role.Management)),
                        device("mlx5_4", "p1", 1, s -> s.state(PortState.Down)),
                        device("mlx5_5", "p1", 1, s -> s.function(Function.Virtual)),
                        device("rxe0", "p1", 1, s -> s.function(Function.Software))),
                List.of(storage));
        assertThat(node.devices()).isEmpty();
        for (DeviceVariable variable : DeviceVariable.values()) {
            assertThat(variable.on(node, false)).isEqualTo(variable.neutral());
        }
    }

    @Test
    void softwareIsThereWhereItIsInAFabric() {
        FabricDevice selected = device("rxe0", "p1", 1, s -> s.function(Function.Software));
        selected.setStatus(
                FabricDeviceStatusBuilder.builder().fabric("tests").plane("p1").build());
        assertThat(DeviceVariable.NCCL_IB_HCA.on(usable(List.of(selected), List.of()), false))
                .isEqualTo("=rxe0:1");
    }

    /** As with launch: direct. One that is in the fabric alone may not be there, or lead elsewhere, on the next node. */
    @Test
    void inTheNodesNetworkSocketsGoOverTheInterfaceWithTheNodesAddress() {
        FabricDevice own = device(
                "bond0",
                "0",
                0,
                s -> s.type(DeviceType.Network)
                        .family(Family.Ethernet)
                        .role(Role.Management)
                        .function(Function.Bond)
                        .netdev("bond0")
                        .ipAddresses(List.of("10.0.0.1/24")));
        FabricDevice fabric = device(
                "ens3f0",
                "0",
                0,
                s -> s.type(DeviceType.Network)
                        .family(Family.Ethernet)
                        .netdev("ens3f0")
                        .ipAddresses(List.of("10.1.0.1/24")));
        DeviceVariable.Node node = usable(List.of(own, fabric), List.of());
        assertThat(DeviceVariable.OMPI_MCA_btl_tcp_if_include.on(node, true)).isEqualTo("bond0");
        assertThat(DeviceVariable.NCCL_SOCKET_IFNAME.on(node, true)).isEqualTo("=bond0");
        assertThat(DeviceVariable.UCX_NET_DEVICES.on(node, true)).isEqualTo("bond0");
        assertThat(DeviceVariable.UCX_NET_DEVICES.on(node, false)).isEqualTo("all");
        assertThat(DeviceVariable.NCCL_IB_HCA.on(node, true)).isEqualTo("^=none");

        DeviceVariable.Node withRdma = usable(List.of(own, device("mlx5_0", "0", 1, s -> s)), List.of());
        assertThat(DeviceVariable.UCX_NET_DEVICES.on(withRdma, true)).isEqualTo("mlx5_0:1");
        DeviceVariable.Node withOtherRdma =
                usable(List.of(own, device("mlx5_0", "0", 1, s -> s.state(PortState.Down))), List.of());
        assertThat(DeviceVariable.UCX_NET_DEVICES.on(withOtherRdma, true)).isEqualTo("all");
    }

    @Test
    void whichInterfaceHasTheNodesAddressIsNotGuessed() {
        FabricDevice address = device(
                "ens1",
                "0",
                0,
                s -> s.family(Family.Ethernet)
                        .role(Role.Management)
                        .netdev("ens1")
                        .ipAddresses(List.of("10.0.0.1/24")));
        FabricDevice route = device(
                "ens2",
                "0",
                0,
                s -> s.family(Family.Ethernet)
                        .role(Role.Management)
                        .netdev("ens2")
                        .ipAddresses(List.of("10.1.0.1/24")));
        assertThat(DeviceVariable.NCCL_SOCKET_IFNAME.on(usable(List.of(address, route), List.of()), true))
                .isEmpty();
    }

    /** PyTorch has no value that stands for none, and what reads the variable beside it may take an empty one for a name. */
    @Test
    void noVariableOfGlooIsAmongThoseThatAreSetBeforeTheNodeIsKnown() {
        assertThat(DeviceVariable.values()).extracting(Enum::name).doesNotContain("GLOO_SOCKET_IFNAME");
    }

    @Test
    void theFabricComesBeforeThePlane() {
        FabricDevice storage = device("mlx5_0", "0", 0, s -> s.family(Family.RoCE));
        storage.setStatus(FabricDeviceStatusBuilder.builder()
                .fabric("roce")
                .plane("0")
                .index(0)
                .build());
        List<FabricDevice> devices = new ArrayList<>(List.of(storage));
        for (int plane = 0; plane < 2; plane++) {
            FabricDevice one = device("mlx5_" + (1 + plane), "" + plane, plane, s -> s);
            one.setStatus(FabricDeviceStatusBuilder.builder()
                    .fabric("ib")
                    .plane("" + plane)
                    .index(plane)
                    .build());
            devices.add(one);
        }
        assertThat(DeviceVariable.NCCL_IB_HCA.on(usable(devices, List.of(fabric("roce", 1), fabric("ib", 0))), false))
                .isEqualTo("=mlx5_1:1,mlx5_2:1,mlx5_0:1");
    }

    private static Fabric fabric(String name, int index) {
        Fabric fabric = new Fabric();
        fabric.setMetadata(new ObjectMetaBuilder().withName(name).build());
        fabric.setSpec(FabricSpecBuilder.builder().build());
        fabric.setStatus(FabricStatusBuilder.builder().index(index).build());
        return fabric;
    }

    @Test
    void whatAPersonSaysOfADeviceGoesBeforeItsFabricAndItsPartInTheNode() {
        Fabric storage = fabric("ib", 0);
        storage.setSpec(FabricSpecBuilder.builder().purpose(Purpose.Storage).build());
        FabricDevice kept = device("mlx5_0", "0", 0, s -> s.role(Role.Management));
        kept.getMetadata().setLabels(Map.of(FabricApi.LABEL_PURPOSE, "compute"));
        FabricDevice other = device("mlx5_1", "0", 1, s -> s);
        for (FabricDevice each : List.of(kept, other)) {
            each.setStatus(FabricDeviceStatusBuilder.builder().fabric("ib").build());
        }
        FabricDevice uncabled = device("mlx5_2", "0", 2, s -> s);
        uncabled.setStatus(null);
        uncabled.getMetadata().setLabels(Map.of(FabricApi.LABEL_PURPOSE, "backup"));
        assertThat(DeviceVariable.UCX_NET_DEVICES.on(usable(List.of(kept, other, uncabled), List.of(storage)), false))
                .isEqualTo("mlx5_0:1");
    }

    @Test
    void devicesForWhatAllNodesShareAreLeftOut() {
        DeviceVariable.Node node =
                usable(List.of(device("common", "0", 0, s -> s), device("mlx5_1", "0", 1, s -> s)), List.of());
        assertThat(DeviceVariable.UCX_NET_DEVICES.on(node, false)).isEqualTo("mlx5_1:1");
    }

    @Test
    void ringsOfNcclKeepToOneDeviceWhereThoseOfANodeDoNotReachEachOther() {
        List<ServedDevice> rails = List.of(device("mlx5_0", "0", 0, s -> s), device("mlx5_1", "1", 1, s -> s)).stream()
                .map(ServedDevice::of)
                .toList();
        JobTraffic apart = new JobTraffic(List.of(), device -> false, (one, other) -> one != other);
        assertThat(DeviceVariable.NCCL_CROSS_NIC.on(UsableDevices.of(rails, List.of(), apart, List.of()), false))
                .isEqualTo("0");
        assertThat(DeviceVariable.NCCL_CROSS_NIC.on(
                        UsableDevices.of(rails.subList(0, 1), List.of(), apart, List.of()), false))
                .isEqualTo("2");
        JobTraffic joined = new JobTraffic(List.of(), device -> false);
        assertThat(DeviceVariable.NCCL_CROSS_NIC.on(UsableDevices.of(rails, List.of(), joined, List.of()), false))
                .isEqualTo("2");
    }

    private static DeviceVariable.Node usable(List<FabricDevice> devices, List<Fabric> fabrics) {
        return UsableDevices.of(
                devices.stream().map(ServedDevice::of).toList(),
                fabrics.stream().map(FabricFacts::of).toList(),
                new JobTraffic(
                        fabrics.stream().map(FabricFacts::of).toList(),
                        device -> device.osName().equals("common")),
                List.of());
    }

    private static FabricDevice device(
            String name, String plane, int index, UnaryOperator<FabricDeviceSpecBuilder> change) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder().withName("n1-" + name).build());
        device.setSpec(change.apply(FabricDeviceSpecBuilder.builder()
                        .nodeName("n1")
                        .osName(name)
                        .port(1)
                        .deviceId("id-" + name)
                        .type(DeviceType.OpenFabrics)
                        .family(Family.InfiniBand)
                        .state(PortState.Active)
                        .role(Role.Fabric)
                        .function(Function.Physical))
                .build());
        device.setStatus(
                FabricDeviceStatusBuilder.builder().plane(plane).index(index).build());
        return device;
    }
}
