/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.e2e.hostgen.DerivedHost;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.discovery.DiscoveryOptions;
import dev.fabricoperator.fabric.discovery.DiscoveryResult;
import dev.fabricoperator.fabric.discovery.HostDiscovery;
import dev.fabricoperator.fabric.discovery.PathHostTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What nodes play is what agents and containers then read. */
class NodeFabricsTest {
    private static final String MAC = "02:00:ac:1e:01:0a";

    private final NodeFabrics fabrics = NodeFabrics.of(List.of("node-1", "node-2", "node-3"));

    @TempDir
    Path directory;

    @Test
    void anAgentFindsTheCardsOfTheRecordedHostAndTheNodesOwnInterface() throws IOException {
        fabrics.layOut("node-2", MAC, directory);
        DiscoveryResult found = HostDiscovery.discover(
                PathHostTree.of(directory.resolve("host")), new DiscoveryOptions("node-2", Set.of(), null, false));

        assertThat(found.errorFree()).as("%s", found.errors()).isTrue();
        assertThat(found.hostname()).isEqualTo("node-2");
        assertThat(found.devices())
                .filteredOn(device -> device.family() == Family.InfiniBand)
                .extracting(Device::nodeGuid)
                .containsExactlyInAnyOrderElementsOf(fabrics.host("node-2").adapters().stream()
                        .map(DerivedHost.Placed::adapter)
                        .map(adapter -> adapter.id())
                        .toList());
        assertThat(found.devices())
                .filteredOn(device -> device.family() == Family.Ethernet)
                .singleElement()
                .satisfies(device -> {
                    assertThat(device.osName()).isEqualTo("eth0");
                    assertThat(device.deviceId()).isEqualTo("ipv4://" + MAC);
                    assertThat(device.state()).isEqualTo(PortState.Active);
                    assertThat(device.speedBitsPerSecond()).isEqualTo(10_000_000_000L);
                });
    }

    @Test
    void aContainerWithCardsFindsTheSameOnesByTheirDeviceFiles() throws IOException {
        fabrics.layOut("node-1", MAC, directory);
        Path classes = directory.resolve("class");

        for (int number = 0; number < NodeFabrics.CARDS; number++) {
            Path verbs = classes.resolve("infiniband_verbs/uverbs" + number);
            String name = Files.readString(verbs.resolve("ibdev")).strip();
            assertThat(Files.readString(
                                    classes.resolve("infiniband").resolve(name).resolve("ports/1/gids/0"))
                            .strip())
                    .startsWith("fe80:");
            assertThat(Objects.requireNonNull(Files.readSymbolicLink(verbs.resolve("device"))
                                    .getFileName())
                            .toString())
                    .isEqualTo(fabrics.host("node-1").adapters().stream()
                            .filter(card -> card.osName().equals(name))
                            .findFirst()
                            .orElseThrow()
                            .pciAddress());
        }
    }

    @Test
    void neighboursAreInOneUnitAndOthersInAnother() {
        assertThat(fabrics.manifests())
                .contains("switch:leaf-1,10,node-1/eth0,0,", "switch:leaf-2,11,node-2/eth0,0,")
                .contains("switch:leaf-1,12,node-3/eth0,0,", "switch:leaf-2,100,switch:nodes,2,")
                .contains("\"node-1 mlx5_0\"");
    }
}
