/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import dev.fabricoperator.crds.FabricApi;
import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.PortState;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import java.util.stream.Collectors;

/** Two leaves, one spine, up to eight hosts with one port each, and the dump that ibnetdiscover would make of them. */
public final class SmallFabric {
    public static final int HOSTS = 8;
    private static final int HOSTS_OF_A_LEAF = 4;
    static final int FIRST_UPLINK = 31;
    static final List<String> LEAVES = List.of("a000000000000001", "a000000000000002");
    static final String SPINE = "b000000000000001";

    private SmallFabric() {}

    public static String deviceName(int host) {
        return "n" + host + "-mlx5-0-1";
    }

    /** @param host from 1 */
    public static FabricDevice device(int host) {
        return device(deviceName(host), "n" + host, guid(host), "fe80:0000:0000:0000:0000:0000:0000:00d" + host);
    }

    /** An InfiniBand port, active, as an agent publishes it. */
    public static FabricDevice device(String name, String node, String guid, String gid) {
        FabricDevice device = new FabricDevice();
        device.setMetadata(new ObjectMetaBuilder().withName(name).build());
        device.setSpec(FabricDeviceSpecBuilder.builder()
                .nodeName(node)
                .hostname(node)
                .osName("mlx5_0")
                .port(1)
                .deviceId("fab://" + guid + "::" + guid)
                .source("sysfs")
                .type(DeviceType.OpenFabrics)
                .family(Family.InfiniBand)
                .vendor("Mellanox")
                .nodeGuid(guid)
                .gids(List.of(gid))
                .state(PortState.Active)
                .build());
        return device;
    }

    /** An upload in one ConfigMap. */
    public static ConfigMap upload(String text) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName("small")
                .withNamespace(OperatorProcess.NAMESPACE)
                .addToLabels(FabricApi.LABEL_TOPOLOGY, "ibnetdiscover")
                .endMetadata()
                .addToData("small.txt", text)
                .build();
    }

    public static String dump() {
        return dump(LEAVES.size());
    }

    /** What it says when the cable between the second leaf and the spine is out. */
    public static String dumpWithoutTheSecondUplink() {
        return dump().lines()
                .filter(line -> !line.startsWith("[%d]\t\"S-%s\"[2]".formatted(FIRST_UPLINK, SPINE))
                        && !line.startsWith("[2]\t\"S-%s\"".formatted(LEAVES.get(1))))
                .collect(Collectors.joining("\n", "", "\n"));
    }

    /** What ibnetdiscover says behind the first leaf when its uplink is out. */
    static String dumpOfTheFirstLeaf() {
        return dump(1);
    }

    private static String dump(int leaves) {
        boolean spine = leaves == LEAVES.size();
        StringBuilder text = new StringBuilder("#\n# Topology file: generated on Fri Jan  2 03:04:05 2026\n#\n\n");
        for (int leaf = 0; leaf < leaves; leaf++) {
            switchHead(text, LEAVES.get(leaf), "leaf" + (leaf + 1), leaf + 1);
            for (int port = 1; port <= HOSTS_OF_A_LEAF; port++) {
                int host = leaf * HOSTS_OF_A_LEAF + port;
                text.append("[%d]\t\"H-%s\"[1](%s) \t\t# \"n%d mlx5_0\" lid %d 4xNDR%n"
                        .formatted(port, guid(host), guid(host), host, 10 + host));
            }
            if (spine) {
                text.append("[%d]\t\"S-%s\"[%d]\t\t# \"MF0;spine1:MQM9700/U1\" lid 3 4xNDR%n"
                        .formatted(FIRST_UPLINK, SPINE, leaf + 1));
            }
            text.append('\n');
        }
        if (spine) {
            switchHead(text, SPINE, "spine1", 3);
            for (int leaf = 0; leaf < leaves; leaf++) {
                text.append("[%d]\t\"S-%s\"[%d]\t\t# \"MF0;leaf%d:MQM9700/U1\" lid %d 4xNDR%n"
                        .formatted(leaf + 1, LEAVES.get(leaf), FIRST_UPLINK, leaf + 1, leaf + 1));
            }
            text.append('\n');
        }
        for (int host = 1; host <= leaves * HOSTS_OF_A_LEAF; host++) {
            int leaf = (host - 1) / HOSTS_OF_A_LEAF;
            int port = (host - 1) % HOSTS_OF_A_LEAF + 1;
            text.append("vendid=0x2c9%ndevid=0x1021%nsysimgguid=0x%s%ncaguid=0x%s%n".formatted(guid(host), guid(host)));
            text.append("Ca\t1 \"H-%s\"\t\t# \"n%d mlx5_0\"%n".formatted(guid(host), host));
            text.append("[1](%s) \t\"S-%s\"[%d]\t\t# lid %d lmc 0 \"MF0;leaf%d:MQM9700/U1\" lid %d 4xNDR%n%n"
                    .formatted(guid(host), LEAVES.get(leaf), port, 10 + host, leaf + 1, leaf + 1));
        }
        return text.toString();
    }

    private static void switchHead(StringBuilder text, String guid, String name, int lid) {
        text.append("vendid=0x2c9%ndevid=0xd2f2%nsysimgguid=0x%s%nswitchguid=0x%s(%s)%n".formatted(guid, guid, guid));
        text.append("Switch\t40 \"S-%s\"\t\t# \"MF0;%s:MQM9700/U1\" enhanced port 0 lid %d lmc 0%n"
                .formatted(guid, name, lid));
    }

    public static String guid(int host) {
        return "00000000000000d" + host;
    }
}
