/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import dev.fabricoperator.crds.AcceleratorRef;
import dev.fabricoperator.crds.Distance;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchSpecBuilder;
import dev.fabricoperator.crds.Pci;
import dev.fabricoperator.crds.PeerRef;
import dev.fabricoperator.crds.SwitchPortSpec;
import dev.fabricoperator.crds.SwitchPortSpecBuilder;
import dev.fabricoperator.fabric.device.AcceleratorPath;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A fat tree with leaves of 64 host ports, eight devices to a host, every device as full as those of a machine with eight
 * accelerators. Up to 1,000 leaves: two levels, 20 spines. Above that, where no switch has ports enough, three: pods of 50
 * leaves and 20 switches over them, and ten core switches for each of those; 80,000 devices have 1,950 switches.
 *
 * @param devices a multiple of 64
 */
record LargeFabric(int devices) {
    private static final int HOST_PORTS = 64;
    static final int FIRST_UPLINK = HOST_PORTS + 1;
    private static final int UPLINKS = 20;
    static final int DEVICES_OF_A_HOST = 8;
    private static final int GIDS = 16;
    private static final int LEAVES_OF_TWO_LEVELS = 1_000;
    private static final int LEAVES_OF_A_POD = 50;
    private static final int CORES_OF_A_GROUP = 10;
    private static final long NDR = 400_000_000_000L;

    LargeFabric {
        if (devices % HOST_PORTS != 0) {
            throw new IllegalArgumentException(devices + " is no multiple of " + HOST_PORTS);
        }
    }

    int leaves() {
        return devices / HOST_PORTS;
    }

    int nodes() {
        return (devices + DEVICES_OF_A_HOST - 1) / DEVICES_OF_A_HOST;
    }

    private int pods() {
        return leaves() <= LEAVES_OF_TWO_LEVELS ? 1 : (leaves() + LEAVES_OF_A_POD - 1) / LEAVES_OF_A_POD;
    }

    int switches() {
        return leaves() + pods() * UPLINKS + (pods() == 1 ? 0 : UPLINKS * CORES_OF_A_GROUP);
    }

    /** Leaves, then the switches over them, then the core. */
    FabricSwitch fabricSwitch(int number) {
        List<SwitchPortSpec> ports = new ArrayList<>();
        int middle = number - leaves();
        int core = middle - pods() * UPLINKS;
        int podLeaves = leavesOfAPod();
        if (middle < 0) {
            for (int port = 1; port <= HOST_PORTS; port++) {
                ports.add(port(port, guid(number * HOST_PORTS + port - 1), 1));
            }
            for (int up = 0; up < UPLINKS; up++) {
                ports.add(port(
                        FIRST_UPLINK + up,
                        switchGuid(leaves() + number / podLeaves * UPLINKS + up),
                        number % podLeaves + 1));
            }
        } else if (core < 0) {
            int pod = middle / UPLINKS;
            int up = middle % UPLINKS;
            for (int leaf = pod * podLeaves; leaf < Math.min(leaves(), (pod + 1) * podLeaves); leaf++) {
                ports.add(port(leaf % podLeaves + 1, switchGuid(leaf), FIRST_UPLINK + up));
            }
            for (int far = 0; far < (pods() == 1 ? 0 : CORES_OF_A_GROUP); far++) {
                ports.add(port(
                        podLeaves + 1 + far,
                        switchGuid(leaves() + pods() * UPLINKS + up * CORES_OF_A_GROUP + far),
                        pod + 1));
            }
        } else {
            for (int pod = 0; pod < pods(); pod++) {
                ports.add(port(
                        pod + 1,
                        switchGuid(leaves() + pod * UPLINKS + core / CORES_OF_A_GROUP),
                        podLeaves + 1 + core % CORES_OF_A_GROUP));
            }
        }
        FabricSwitch object = new FabricSwitch();
        object.setMetadata(new ObjectMetaBuilder().withName(switchGuid(number)).build());
        object.setSpec(FabricSwitchSpecBuilder.builder()
                .id(switchGuid(number))
                .vendor("Mellanox")
                .model("MQM9700")
                .ports(ports)
                .build());
        return object;
    }

    private int leavesOfAPod() {
        return pods() == 1 ? leaves() : LEAVES_OF_A_POD;
    }

    /** Where the first uplink of a leaf leads to. */
    int switchAbove(int leaf) {
        return leaves() + leaf / leavesOfAPod() * UPLINKS;
    }

    /** And to which of its ports. */
    int portAbove(int leaf) {
        return leaf % leavesOfAPod() + 1;
    }

    /** A switch with one of its ports down. */
    FabricSwitch withPortDown(int number, int port) {
        FabricSwitch object = fabricSwitch(number);
        object.setSpec(FabricSwitchSpecBuilder.builder(object.getSpec())
                .ports(object.getSpec().ports().stream()
                        .map(p -> p.number() == port
                                ? SwitchPortSpecBuilder.from(p).withState(PortState.Down)
                                : p)
                        .toList())
                .build());
        return object;
    }

    private static SwitchPortSpec port(int number, String peer, int peerPort) {
        return new SwitchPortSpec(
                number, new PeerRef(peer, peerPort, null, null, null), PortState.Active, NDR, 4, null);
    }

    private static String switchGuid(int number) {
        return "%016x".formatted(0xa000_0000_0000_0000L + number);
    }

    static String nodeName(int number) {
        return "node-%05d".formatted(number);
    }

    String deviceName(int number) {
        return nodeName(number / DEVICES_OF_A_HOST) + "-mlx5-" + number % DEVICES_OF_A_HOST + "-1";
    }

    FabricDevice device(int number) {
        String node = nodeName(number / DEVICES_OF_A_HOST);
        int card = number % DEVICES_OF_A_HOST;
        String guid = guid(number);
        String colons = guid.replaceAll("(.{4})(?!$)", "$1:");
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder()
                .withName(deviceName(number))
                .addToOwnerReferences(new OwnerReferenceBuilder()
                        .withApiVersion("v1")
                        .withKind("Node")
                        .withName(node)
                        .withUid("00000000-0000-0000-0000-%012d".formatted(number / DEVICES_OF_A_HOST))
                        .build())
                .build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName(node)
                .hostname(node)
                .osName("mlx5_" + card)
                .port(1)
                .deviceId("fab://" + colons + "::" + colons)
                .source("sysfs")
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .function(Function.Physical)
                .role(Role.Fabric)
                .vendor("Mellanox")
                .model("MT4129")
                .driver("mlx5_core")
                .firmware("28.39.2048")
                .board("MT_0000000838")
                .linkLayer("InfiniBand")
                .busType("PCI")
                .pci(new Pci("0000:%02x:00.0".formatted(0x10 + card), "15b3", "1021", "0207"))
                .nodeGuid(guid)
                .systemImageGuid(guid)
                .portGuid(guid)
                .lid(number + 1_000)
                .gids(IntStream.range(0, GIDS)
                        .mapToObj(i ->
                                "fe80:0000:0000:0000:" + (i == 0 ? colons : "%04x".formatted(i) + colons.substring(4)))
                        .toList())
                .netdev("ibp" + card + "s0")
                .macAddress("00:00:10:29:fe:80:00:00:00:00:00:00:" + guid.replaceAll("(..)(?!$)", "$1:"))
                .ipAddresses(List.of("10.%d.%d.%d".formatted(card, number / 250 % 250, number % 250)))
                .mtuBytes(4092L)
                .speedBitsPerSecond(NDR)
                .width(4)
                .state(PortState.Active)
                .physicalState("LinkUp")
                .numaNode(card / 4)
                .distances(List.of(new Distance(0, 10, 10), new Distance(1, 21, 21)))
                .card(guid)
                .accelerators(IntStream.range(0, DEVICES_OF_A_HOST)
                        .mapToObj(i -> new AcceleratorRef(
                                "0000:%02x:00.0".formatted(0x20 + i),
                                "10de",
                                "2330",
                                i == card ? AcceleratorPath.PIX : AcceleratorPath.SYS))
                        .toList())
                .build());
        return device;
    }

    private static String guid(int number) {
        return "%016x".formatted(0x0002_c903_0000_0000L + number);
    }
}
