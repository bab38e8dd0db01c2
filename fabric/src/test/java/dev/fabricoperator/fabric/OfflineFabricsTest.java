/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.CablingCollector.Node;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.IbnetdiscoverReader;
import dev.fabricoperator.fabric.classify.FabricKind;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.model.DevicePosition;
import dev.fabricoperator.fabric.query.FabricQuery;
import dev.fabricoperator.fabric.testdata.Dump;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class OfflineFabricsTest {
    private static OfflineFabric fabric(String source, String id, String host, String osName) throws Exception {
        CablingCollector collector = new CablingCollector(source, "text");
        for (int i = 1; i <= 2; i++) {
            Node device = collector.node(i == 1 ? id : "b83fd20300000009", i).asDevice();
            device.hostname = i == 1 ? host : "other";
            device.osName = i == 1 ? osName : "mlx5_9";
            collector.join(collector.port(collector.node("leaf", i), "swp" + i, i), collector.port(device, null, i));
        }
        List<OfflineFabric> fabrics = OfflineFabrics.of(collector.build());
        assertThat(fabrics).hasSize(1);
        return fabrics.getFirst();
    }

    private static Device first(OfflineFabric fabric) {
        DevicePosition place = Objects.requireNonNull(fabric.model().device(0));
        assertThat(place.switchId()).isEqualTo("leaf");
        return fabric.devices().getFirst();
    }

    @Test
    void anInterfaceOfAHostHasNoGuidThatNobodyGave() throws Exception {
        OfflineFabric fabric = fabric("lldp", "node1/eth0", "node1", "eth0");
        Device device = first(fabric);
        assertThat(device.nodeGuid()).isNull();
        assertThat(device.deviceId()).isEqualTo("eth0@node1");
        assertThat(device.type()).isEqualTo(DeviceType.Network);
        assertThat(device.family()).isEqualTo(Family.Ethernet);
        assertThat(device.netdev()).isEqualTo("eth0");
        assertThat(fabric.name()).isEqualTo("ethernet-0");
    }

    @Test
    void aMacIsThatOfANetworkDevice() throws Exception {
        Device device = first(fabric("lldp", "02:00:00:00:00:01", "node1", ""));
        assertThat(device.deviceId()).isEqualTo("ipv4://02:00:00:00:00:01");
        assertThat(device.macAddress()).isEqualTo("02:00:00:00:00:01");
        assertThat(device.nodeGuid()).isNull();
    }

    @Test
    void aHostWhoseDevicesNobodyNamesIsItsOwnId() throws Exception {
        Device device = first(fabric("slurm", "node1/", "node1", ""));
        assertThat(device.deviceId()).isEqualTo("node1/");
        assertThat(device.linkLayer()).isNull();
    }

    @Test
    void aNodeGuidIsThatOfAnRdmaDevice() throws Exception {
        Device device = first(fabric("ibnetdiscover", "b83fd20300000001", "node1", "mlx5_0"));
        assertThat(device.deviceId()).isEqualTo("fab://b83f:d203:0000:0001::0000:0000:0000:0000");
        assertThat(device.nodeGuid()).isEqualTo("b83fd20300000001");
    }

    private static Cabling dump(String file) throws Exception {
        return IbnetdiscoverReader.read(
                file, new StringReader(new String(Dump.bytes("reported/" + file), StandardCharsets.UTF_8)));
    }

    @Test
    void twoDevicesBackToBackAreOneFabricWithOneLink() throws Exception {
        List<OfflineFabric> fabrics = OfflineFabrics.of(dump("back-to-back-ibnetdiscover.txt"));
        assertThat(fabrics).singleElement().satisfies(fabric -> {
            assertThat(fabric.model().devices()).isEqualTo(2);
            assertThat(fabric.model().links()).isEqualTo(1);
            assertThat(fabric.devices()).extracting(Device::speedBitsPerSecond).containsOnly(100_000_000_000L);
            assertThat(Objects.requireNonNull(new FabricQuery(fabric.model()).path(0, 1))
                            .speedBitsPerSecond())
                    .isEqualTo(100_000_000_000L);
        });
        assertThat(OfflineFabrics.planesApart(fabrics)).isNull();
    }

    /** A ring of three hosts with two ports each, and a pair: cables and hosts join, nothing else does. */
    @Test
    void devicesBackToBackAreAsManyFabricsAsCablesAndHostsJoin() throws Exception {
        CablingCollector collector = new CablingCollector("lldp", "text");
        List<String> cables = List.of("a/p0-b/p1", "b/p0-c/p1", "c/p0-a/p1", "d/p0-e/p0");
        for (String cable : cables) {
            List<CablingCollector.Port> ends = new ArrayList<>();
            for (String end : cable.split("-")) {
                Node device = collector.node(end, 1).asDevice();
                device.hostname = end.substring(0, 1);
                device.osName = end.substring(2);
                ends.add(collector.port(device, null, 1));
            }
            collector.join(ends.getFirst(), ends.getLast());
        }
        List<OfflineFabric> fabrics = OfflineFabrics.of(collector.build());
        assertThat(fabrics).extracting(fabric -> fabric.model().devices()).containsExactly(6, 2);
        assertThat(fabrics).extracting(fabric -> fabric.model().links()).containsExactly(3, 1);
    }

    @Test
    void planesThatNothingJoinsAreOneFabric() throws Exception {
        List<OfflineFabric> fabrics = OfflineFabrics.of(dump("rail-plane-cards-ibnetdiscover.txt.gz"));
        assertThat(fabrics).singleElement().satisfies(fabric -> {
            assertThat(fabric.model().kind()).isEqualTo(FabricKind.RailOptimized);
            assertThat(fabric.model().planes()).hasSize(2).allSatisfy(plane -> {
                assertThat(plane.devices()).isEqualTo(128);
                assertThat(plane.switches()).isEqualTo(20);
            });
            assertThat(fabric.model().defaultShape().string()).isEqualTo("4x4x8");
            assertThat(fabric.model().findings()).isEmpty();
        });
        assertThat(OfflineFabrics.planesApart(fabrics)).isNull();
    }
}
