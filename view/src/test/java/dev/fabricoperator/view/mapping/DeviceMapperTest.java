/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.view.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fabricoperator.crds.FabricDeviceSpec;
import dev.fabricoperator.fabric.device.Accelerator;
import dev.fabricoperator.fabric.device.AcceleratorPath;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.Neighbor;
import dev.fabricoperator.fabric.device.NumaDistance;
import dev.fabricoperator.fabric.device.PciFunction;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.ReadError;
import dev.fabricoperator.fabric.device.Role;
import dev.fabricoperator.fabric.traffic.Impairment;
import dev.fabricoperator.fabric.traffic.LinkFault;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DeviceMapperTest {
    private final ObjectMapper json = new ObjectMapper();

    private static DeviceBuilder device() {
        return DeviceBuilder.builder()
                .hostname("host-1")
                .osName("mlx5_0")
                .port(1)
                .deviceId("fab://506b:4b03:003c:eee8::506b:4b03:003c:eee8")
                .source("sysfs")
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .function(Function.Virtual)
                .role(Role.Fabric)
                .vendor("Mellanox")
                .model("MT4129")
                .driver("mlx5_core")
                .firmware("28.39.1002")
                .board("MT_0000000838")
                .linkLayer("InfiniBand")
                .busType("PCI")
                .pci(new PciFunction("0003:01:00.1", "15b3", "1021", "0207"))
                .nodeGuid("506b4b03003ceee8")
                .systemImageGuid("506b4b03003ceee8")
                .portGuid("506b4b03003ceee9")
                .lid(0x527)
                .gids(List.of("fe80:0000:0000:0000:506b:4b03:003c:eee8"))
                .netdev("ib0")
                .macAddress("08:c0:eb:00:00:01")
                .ipAddresses(List.of("10.0.0.1"))
                .mtuBytes(4092L)
                .speedBitsPerSecond(400_000_000_000L)
                .width(4)
                .state(PortState.Active)
                .physicalState("LinkUp")
                .numaNode(8)
                .distances(List.of(new NumaDistance(0, 40, 40), new NumaDistance(8, 10, 10)))
                .card("506b4b03003ceee8")
                .accelerators(List.of(new Accelerator("0004:04:00.0", "10de", "1db1", AcceleratorPath.NODE)))
                .neighbor(new Neighbor("fc6a1c03309d6b79", "7", "lldp"))
                .readErrors(List.of(new ReadError("/sys/class/infiniband/mlx5_0/board_id", "permission denied")))
                .impairments(List.of(new Impairment(
                        LinkFault.SymbolErrors,
                        "/sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error",
                        40,
                        10,
                        2,
                        60,
                        300,
                        Instant.parse("2026-11-28T12:00:00Z"))));
    }

    @Test
    void aDeviceSurvivesTheWayThroughTheApi() throws Exception {
        Device device = device().build();
        FabricDeviceSpec spec = DeviceMapper.toSpec("node-1", device, error -> "2026-01-01T00:00:00Z");
        FabricDeviceSpec read = json.readValue(json.writeValueAsString(spec), FabricDeviceSpec.class);
        assertThat(read).isEqualTo(spec);
        assertThat(DeviceMapper.toDevice(read)).isEqualTo(device);
    }

    @Test
    void whatIsUnknownIsNotWritten() throws Exception {
        Device bare = DeviceBuilder.builder()
                .hostname("h")
                .osName("eth0")
                .port(0)
                .deviceId("eth0@h")
                .source("sysfs")
                .type(DeviceType.Network)
                .family(Family.Ethernet)
                .function(Function.Physical)
                .role(Role.Unknown)
                .state(PortState.Unknown)
                .build();
        assertThat(json.readTree(json.writeValueAsString(DeviceMapper.toSpec("n", bare, error -> null)))
                        .fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder(
                        "nodeName",
                        "hostname",
                        "osName",
                        "port",
                        "deviceId",
                        "source",
                        "type",
                        "family",
                        "function",
                        "role",
                        "state");
    }

    @Test
    void aSpecStaysWithinTheBoundsOfItsSchema() {
        Device wild = device().gids(
                        IntStream.range(0, 300).mapToObj(i -> "fe80::" + i).toList())
                .readErrors(IntStream.range(0, 20)
                        .mapToObj(i -> new ReadError("/sys/" + "x".repeat(1000) + i, "y".repeat(1000)))
                        .toList())
                .build();
        FabricDeviceSpec spec = DeviceMapper.toSpec("n", wild, error -> null);
        assertThat(spec.gids()).hasSize(128);
        assertThat(spec.readErrors()).hasSize(8).allSatisfy(e -> {
            assertThat(e.file()).hasSizeLessThanOrEqualTo(512);
            assertThat(e.reason()).hasSizeLessThanOrEqualTo(512);
        });
    }

    @Test
    void fieldsThatANewerVersionAddsAreIgnored() throws Exception {
        FabricDeviceSpec spec = DeviceMapper.toSpec("n", device().build(), error -> null);
        String newer = json.writeValueAsString(spec).replaceFirst("\\{", "{\"tomorrow\":{\"x\":1},");
        assertThat(json.readValue(newer, FabricDeviceSpec.class)).isEqualTo(spec);
    }
}
