/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.pmix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PciFunction;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FabricDeviceAttributeTest {
    private static final Path DOCUMENT = Path.of(System.getProperty("docs"), "pmix-support.md");

    private static DeviceBuilder device() {
        return DeviceBuilder.builder()
                .hostname("n1")
                .osName("mlx5_0")
                .port(1)
                .deviceId("fab://506b:4b03:003c:eee8::506b:4b03:003c:eee8")
                .source("sysfs")
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .function(Function.Physical)
                .role(Role.Unknown)
                .state(PortState.Active);
    }

    private static Device full() {
        return device().vendor("Mellanox")
                .model("MT4129")
                .driver("mlx5_core")
                .firmware("28.39.1002")
                .linkLayer("InfiniBand")
                .busType("PCI")
                .pci(new PciFunction("0003:01:00.1", "15b3", "1021", "0207"))
                .portGuid("506b4b03003ceee8")
                .macAddress("08:c0:eb:00:00:01")
                .mtuBytes(4092L)
                .speedBitsPerSecond(400_000_000_000L)
                .build();
    }

    @Test
    void aFullDeviceAnswersEveryAttributeInTheStandardsOrder() {
        assertThat(FabricDeviceAttribute.allOf(full()).keySet()).containsExactly(FabricDeviceAttribute.values());
        assertThat(FabricDeviceAttribute.allOf(full()).keySet().iterator().next())
                .isEqualTo(FabricDeviceAttribute.PMIX_DEVICE_ID);
    }

    @Test
    void unknownValuesAreAbsent() {
        assertThat(FabricDeviceAttribute.allOf(device().build()).keySet())
                .containsExactly(
                        FabricDeviceAttribute.PMIX_DEVICE_ID,
                        FabricDeviceAttribute.PMIX_HOSTNAME,
                        FabricDeviceAttribute.PMIX_FABRIC_DEVICE_NAME,
                        FabricDeviceAttribute.PMIX_FABRIC_DEVICE_STATE,
                        FabricDeviceAttribute.PMIX_DEVICE_TYPE);
    }

    @ParameterizedTest
    @CsvSource({
        "Active,PMIX_LINK_UP,2",
        "Armed,PMIX_LINK_DOWN,1",
        "Init,PMIX_LINK_DOWN,1",
        "Down,PMIX_LINK_DOWN,1",
        "Unknown,PMIX_LINK_STATE_UNKNOWN,0"
    })
    void onlyAnActivePortIsUp(PortState state, LinkState expected, int code) {
        Device device = device().state(state).build();
        assertThat(FabricDeviceAttribute.PMIX_FABRIC_DEVICE_STATE.of(device)).isEqualTo(expected);
        assertThat(expected.code()).isEqualTo(code);
    }

    @Test
    void deviceTypesAreTheHeadersBits() {
        assertThat(DeviceTypeBits.of(DeviceType.Network)).isEqualTo(0x04);
        assertThat(DeviceTypeBits.of(DeviceType.OpenFabrics)).isEqualTo(0x08);
    }

    @Test
    void pciDeviceIdIsColonSeparatedAndAbsentBeyondSixteenBitsOfDomain() {
        assertThat(FabricDeviceAttribute.PMIX_FABRIC_DEVICE_PCI_DEVID.of(full()))
                .isEqualTo("0003:01:00:01");
        Device wide =
                device().pci(new PciFunction("10000:00:04.0", null, null, null)).build();
        assertThat(FabricDeviceAttribute.PMIX_FABRIC_DEVICE_PCI_DEVID.of(wide)).isNull();
    }

    @Test
    void vendorIdIsTheModelElseThePciIds() {
        assertThat(FabricDeviceAttribute.PMIX_FABRIC_DEVICE_VENDORID.of(full())).isEqualTo("MT4129");
        Device unnamed = device().pci(new PciFunction("0000:01:00.0", "15b3", "1021", null))
                .build();
        assertThat(FabricDeviceAttribute.PMIX_FABRIC_DEVICE_VENDORID.of(unnamed))
                .isEqualTo("15b3:1021");
    }

    @Test
    void addressIsTheMacElseThePortGuid() {
        assertThat(FabricDeviceAttribute.PMIX_FABRIC_DEVICE_ADDRESS.of(full())).isEqualTo("08:c0:eb:00:00:01");
        Device infiniband = device().portGuid("506b4b03003ceee8").build();
        assertThat(FabricDeviceAttribute.PMIX_FABRIC_DEVICE_ADDRESS.of(infiniband))
                .isEqualTo("506b4b03003ceee8");
    }

    @Test
    void theDocumentedTableIsTheMap() throws IOException {
        List<String> document = Files.readAllLines(DOCUMENT);
        List<String> rows = document.stream()
                .dropWhile(line -> !line.startsWith("<!-- device attributes"))
                .takeWhile(line -> !line.startsWith("<!-- end"))
                .filter(line -> line.startsWith("| `PMIX_"))
                .toList();
        List<String> expected = java.util.Arrays.stream(FabricDeviceAttribute.values())
                .map(a -> "| `" + a.name() + "` | `" + a.key() + "` | `PMIX_" + a.type() + "` | " + a.source() + " |")
                .toList();
        assertThat(rows).isEqualTo(expected);
    }
}
