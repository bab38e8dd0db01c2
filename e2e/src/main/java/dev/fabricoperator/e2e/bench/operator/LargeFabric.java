/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.bench.operator;

import dev.fabricoperator.crds.AcceleratorRef;
import dev.fabricoperator.crds.Distance;
import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.Pci;
import dev.fabricoperator.fabric.device.AcceleratorPath;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;

/**
 * A fat tree of two levels: leaves of 40 host ports, 20 spines, eight devices to a host, every device as full as those of a
 * machine with eight accelerators.
 *
 * @param devices a multiple of 40
 */
record LargeFabric(int devices) {
    private static final int HOST_PORTS = 40;
    private static final int SPINES = 20;
    private static final int DEVICES_OF_A_HOST = 8;
    private static final int GIDS = 16;

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

    FabricDevice device(int number) {
        String node = "node-%05d".formatted(number / DEVICES_OF_A_HOST);
        int card = number % DEVICES_OF_A_HOST;
        String guid = guid(number);
        String colons = guid.replaceAll("(.{4})(?!$)", "$1:");
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder()
                .withName(node + "-mlx5-" + card + "-1")
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
                .speedBitsPerSecond(400_000_000_000L)
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

    /** The dump as an upload in one ConfigMap. */
    ConfigMap upload(String namespace) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName("large")
                .withNamespace(namespace)
                .addToLabels(FabricApi.LABEL_TOPOLOGY, "ibnetdiscover")
                .endMetadata()
                .addToBinaryData(FabricApi.UPLOAD_KEY, Base64.getEncoder().encodeToString(gzip(dump())))
                .build();
    }

    private String dump() {
        StringBuilder text = new StringBuilder("#\n# Topology file: generated on Fri Jan  2 03:04:05 2026\n#\n\n");
        for (int leaf = 0; leaf < leaves(); leaf++) {
            switchHead(text, leafGuid(leaf), "leaf" + leaf);
            for (int port = 1; port <= HOST_PORTS; port++) {
                int number = leaf * HOST_PORTS + port - 1;
                text.append("[%d]\t\"H-%s\"[1](%s) \t\t# \"%s\" lid %d 4xNDR%n"
                        .formatted(port, guid(number), guid(number), described(number), number + 1_000));
            }
            for (int spine = 0; spine < SPINES; spine++) {
                text.append("[%d]\t\"S-%s\"[%d]\t\t# \"MF0;spine%d:MQM9700/U1\" lid 2 4xNDR%n"
                        .formatted(HOST_PORTS + 1 + spine, spineGuid(spine), leaf + 1, spine));
            }
            text.append('\n');
        }
        for (int spine = 0; spine < SPINES; spine++) {
            switchHead(text, spineGuid(spine), "spine" + spine);
            for (int leaf = 0; leaf < leaves(); leaf++) {
                text.append("[%d]\t\"S-%s\"[%d]\t\t# \"MF0;leaf%d:MQM9700/U1\" lid 1 4xNDR%n"
                        .formatted(leaf + 1, leafGuid(leaf), HOST_PORTS + 1 + spine, leaf));
            }
            text.append('\n');
        }
        for (int number = 0; number < devices; number++) {
            text.append(
                    "vendid=0x2c9%ndevid=0x1021%nsysimgguid=0x%s%ncaguid=0x%s%n".formatted(guid(number), guid(number)));
            text.append("Ca\t1 \"H-%s\"\t\t# \"%s\"%n".formatted(guid(number), described(number)));
            text.append("[1](%s) \t\"S-%s\"[%d]\t\t# lid %d lmc 0 \"MF0;leaf:MQM9700/U1\" lid 1 4xNDR%n%n"
                    .formatted(guid(number), leafGuid(number / HOST_PORTS), number % HOST_PORTS + 1, number + 1_000));
        }
        return text.toString();
    }

    private static void switchHead(StringBuilder text, String guid, String name) {
        text.append("vendid=0x2c9%ndevid=0xd2f2%nsysimgguid=0x%s%nswitchguid=0x%s(%s)%n".formatted(guid, guid, guid));
        text.append(
                "Switch\t254 \"S-%s\"\t\t# \"MF0;%s:MQM9700/U1\" enhanced port 0 lid 1 lmc 0%n".formatted(guid, name));
    }

    private static String described(int number) {
        return "node-%05d mlx5_%d".formatted(number / DEVICES_OF_A_HOST, number % DEVICES_OF_A_HOST);
    }

    private static String guid(int number) {
        return "%016x".formatted(0x0002_c903_0000_0000L + number);
    }

    private static String leafGuid(int leaf) {
        return "%016x".formatted(0xa000_0000_0000_0000L + leaf);
    }

    private static String spineGuid(int spine) {
        return "%016x".formatted(0xb000_0000_0000_0000L + spine);
    }

    private static byte[] gzip(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
