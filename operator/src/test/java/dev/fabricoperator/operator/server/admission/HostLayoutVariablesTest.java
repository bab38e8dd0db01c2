/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.crds.Fabric;
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
import dev.fabricoperator.operator.server.served.ServedDevice;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What each library is told on hosts as there are, in a file that people can read. */
class HostLayoutVariablesTest {
    private static final Path GOLDEN = Path.of("src/test/resources/host-layout-variables.txt");

    private static final Fabric IB = fabric("ib", 0, Purpose.Compute);
    private static final Fabric ROCE = fabric("roce", 1, Purpose.Compute);
    private static final Fabric STORAGE = fabric("storage", 2, Purpose.Storage);

    private static Fabric fabric(String name, int index, Purpose purpose) {
        Fabric fabric = new Fabric();
        fabric.setMetadata(new ObjectMetaBuilder().withName(name).build());
        fabric.setSpec(FabricSpecBuilder.builder().purpose(purpose).build());
        fabric.setStatus(FabricStatusBuilder.builder().index(index).build());
        return fabric;
    }

    private static FabricDevice device(
            @Nullable Fabric fabric,
            int plane,
            int index,
            Family family,
            String name,
            @Nullable String netdev,
            int port,
            String... addresses) {
        boolean verbs = family != Family.Ethernet && family != Family.Slingshot;
        FabricDevice device = new FabricDevice();
        device.setMetadata(
                new ObjectMetaBuilder().withName("n1-" + name + "-" + port).build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName("n1")
                .osName(name)
                .port(port)
                .deviceId("id-" + name + "-" + port)
                .type(verbs ? DeviceType.OpenFabrics : DeviceType.Network)
                .family(family)
                .state(PortState.Active)
                .role(Role.Fabric)
                .function(name.startsWith("bond") || name.startsWith("mlx5_bond") ? Function.Bond : Function.Physical)
                .netdev(netdev)
                .ipAddresses(List.of(addresses))
                .build());
        device.setStatus(FabricDeviceStatusBuilder.builder()
                .fabric(fabric == null ? null : fabric.getMetadata().getName())
                .plane(String.valueOf(plane))
                .index(index)
                .build());
        return device;
    }

    private static Map<String, List<FabricDevice>> layouts() {
        Map<String, List<FabricDevice>> layouts = new LinkedHashMap<>();
        layouts.put(
                "one InfiniBand adapter",
                List.of(device(IB, 0, 0, Family.InfiniBand, "mlx5_0", "ib0", 1, "10.1.0.1/24")));
        layouts.put(
                "two InfiniBand adapters, IPoIB on the first",
                List.of(
                        device(IB, 1, 1, Family.InfiniBand, "mlx5_1", "ib1", 1),
                        device(IB, 0, 0, Family.InfiniBand, "mlx5_0", "ib0", 1, "10.1.0.1/24")));
        List<FabricDevice> rails = new ArrayList<>();
        List<FabricDevice> planes = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            // The kernel's names are not the order of the rails.
            rails.add(device(IB, i, i, Family.InfiniBand, "mlx5_" + (7 - i), "ibp" + i, 1));
            planes.add(device(IB, i, i, Family.InfiniBand, "mlx5_" + i % 4, null, 1 + i / 4));
        }
        layouts.put("eight rails", rails);
        layouts.put("four adapters with two planes each", planes);
        layouts.put(
                "InfiniBand for computing, RoCE for storage",
                List.of(
                        device(STORAGE, 0, 0, Family.RoCE, "mlx5_2", "ens1f0np0", 1, "10.2.0.1/24"),
                        device(IB, 0, 0, Family.InfiniBand, "mlx5_0", "ib0", 1),
                        device(IB, 1, 1, Family.InfiniBand, "mlx5_1", "ib1", 1)));
        layouts.put(
                "InfiniBand and RoCE of no stated purpose",
                List.of(
                        device(ROCE, 0, 0, Family.RoCE, "mlx5_2", "ens1f0np0", 1, "10.2.0.1/24"),
                        device(IB, 0, 0, Family.InfiniBand, "mlx5_0", "ib0", 1),
                        device(IB, 1, 1, Family.InfiniBand, "mlx5_1", "ib1", 1)));
        layouts.put(
                "a bond of two RoCE ports",
                List.of(device(ROCE, 0, 0, Family.RoCE, "mlx5_bond_0", "bond0", 1, "10.3.0.1/24", "fe80::1/64")));
        layouts.put(
                "EFA",
                List.of(
                        device(ROCE, 0, 0, Family.EFA, "rdmap0s6", null, 1),
                        device(ROCE, 0, 1, Family.EFA, "rdmap16s27", null, 1),
                        device(null, 0, 2, Family.Ethernet, "ens5", "ens5", 0, "10.4.0.1/20")));
        layouts.put(
                "Slingshot",
                List.of(
                        device(ROCE, 0, 0, Family.Slingshot, "hsn0", "hsn0", 0, "10.5.0.1/16"),
                        device(ROCE, 0, 1, Family.Slingshot, "hsn1", "hsn1", 0, "10.5.0.2/16")));
        return layouts;
    }

    @Test
    void eachLibraryIsToldWhatTheTableSays() throws IOException {
        StringBuilder table = new StringBuilder();
        layouts().forEach((layout, devices) -> {
            List<DeviceVariable.NodeDevice> usable = UsableDevices.of(
                    devices.stream().map(ServedDevice::of).toList(),
                    List.of(IB, ROCE, STORAGE).stream().map(FabricFacts::of).toList(),
                    device -> false);
            table.append(layout).append('\n');
            for (DeviceVariable variable : DeviceVariable.values()) {
                table.append("  ")
                        .append(variable)
                        .append('=')
                        .append(variable.on(usable))
                        .append('\n');
            }
        });
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(GOLDEN, table);
        }
        assertThat(table).hasToString(Files.readString(GOLDEN));
    }
}
