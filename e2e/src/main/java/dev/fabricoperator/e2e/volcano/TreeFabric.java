/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.volcano;

import dev.fabricoperator.crds.FabricDevice;
import dev.fabricoperator.crds.FabricDeviceSpecBuilder;
import dev.fabricoperator.crds.FabricSwitch;
import dev.fabricoperator.crds.FabricSwitchSpecBuilder;
import dev.fabricoperator.crds.PeerRef;
import dev.fabricoperator.crds.SwitchPortSpec;
import dev.fabricoperator.e2e.operator.SmallFabric;
import dev.fabricoperator.fabric.device.PortState;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A fat tree of three levels: pods of leaves and two switches over them, and two core switches, each over one switch of every
 * pod. A node has one device and four CPUs.
 */
public record TreeFabric(int pods, int leavesOfAPod, int nodesOfALeaf) {
    private static final int MIDDLE = 2;
    private static final long NDR = 400_000_000_000L;

    public int leaves() {
        return pods * leavesOfAPod;
    }

    public int nodes() {
        return leaves() * nodesOfALeaf;
    }

    public static String nodeName(int node) {
        return "node-%04d".formatted(node);
    }

    /** Of a node by its name. */
    public static int number(String nodeName) {
        return Integer.parseInt(nodeName.substring(nodeName.lastIndexOf('-') + 1));
    }

    public static String deviceName(int node) {
        return deviceName(node, 0);
    }

    private static String deviceName(int node, int rail) {
        return nodeName(node) + "-mlx5-" + rail + "-1";
    }

    public int leafOf(int node) {
        return node / nodesOfALeaf;
    }

    /** Name of the FabricSwitch of a leaf. */
    public String leafName(int leaf) {
        return switchGuid(leaf);
    }

    /** Names of the FabricSwitches that join the pods. */
    public List<String> coreNames() {
        return IntStream.range(0, MIDDLE).mapToObj(this::core).toList();
    }

    /** The nodes of the first pod below other leaves and other switches over them, without a core: nothing of it reminds of this fabric. */
    public List<FabricSwitch> firstPodRebuilt() {
        Set<String> names = new HashSet<>();
        for (int leaf = 0; leaf < leavesOfAPod; leaf++) {
            names.add(leafName(leaf));
        }
        for (int up = 0; up < MIDDLE; up++) {
            names.add(middle(0, up));
        }
        return switchObjects().stream()
                .filter(each -> names.contains(each.getMetadata().getName()))
                .map(each -> fabricSwitch(
                        rebuilt(each.getMetadata().getName()),
                        each.getSpec().ports().stream()
                                .filter(port -> port.peer() == null
                                        || !isCore(port.peer().id()))
                                .map(port -> port.peer() == null
                                                || !names.contains(port.peer().id())
                                        ? port
                                        : port(
                                                port.number(),
                                                rebuilt(port.peer().id()),
                                                port.peer().port()))
                                .toList()))
                .toList();
    }

    private static String rebuilt(String guid) {
        return "b" + guid.substring(1);
    }

    private boolean isCore(String id) {
        return coreNames().contains(id);
    }

    /** Nodes that have reported, with nothing behind them. */
    public List<Node> nodeObjects() {
        return IntStream.range(0, nodes()).mapToObj(TreeFabric::node).toList();
    }

    public List<FabricDevice> deviceObjects() {
        return IntStream.range(0, nodes())
                .mapToObj(node -> device(node, node, 0))
                .toList();
    }

    /** Leaves, then the switches over them, then the core. */
    public List<FabricSwitch> switchObjects() {
        List<FabricSwitch> switches = new ArrayList<>();
        for (int leaf = 0; leaf < leaves(); leaf++) {
            List<SwitchPortSpec> ports = new ArrayList<>();
            for (int node = leaf * nodesOfALeaf; node < (leaf + 1) * nodesOfALeaf; node++) {
                ports.add(port(ports.size() + 1, deviceGuid(node), 1));
            }
            for (int up = 0; up < MIDDLE; up++) {
                ports.add(port(ports.size() + 1, middle(leaf / leavesOfAPod, up), leaf % leavesOfAPod + 1));
            }
            switches.add(fabricSwitch(switchGuid(leaf), ports));
        }
        for (int pod = 0; pod < pods; pod++) {
            for (int up = 0; up < MIDDLE; up++) {
                List<SwitchPortSpec> ports = new ArrayList<>();
                for (int leaf = pod * leavesOfAPod; leaf < (pod + 1) * leavesOfAPod; leaf++) {
                    ports.add(port(ports.size() + 1, switchGuid(leaf), nodesOfALeaf + up + 1));
                }
                ports.add(port(ports.size() + 1, core(up), pod + 1));
                switches.add(fabricSwitch(middle(pod, up), ports));
            }
        }
        for (int up = 0; up < MIDDLE; up++) {
            List<SwitchPortSpec> ports = new ArrayList<>();
            for (int pod = 0; pod < pods; pod++) {
                ports.add(port(pod + 1, middle(pod, up), leavesOfAPod + 1));
            }
            switches.add(fabricSwitch(core(up), ports));
        }
        return switches;
    }

    private static Node node(int number) {
        Map<String, Quantity> resources =
                Map.of("cpu", new Quantity("4"), "memory", new Quantity("8Gi"), "pods", new Quantity("110"));
        return new NodeBuilder()
                .withNewMetadata()
                .withName(nodeName(number))
                .addToLabels("kubernetes.io/hostname", nodeName(number))
                .endMetadata()
                .withNewStatus()
                .withCapacity(resources)
                .withAllocatable(resources)
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
    }

    /** @param number among all devices */
    static FabricDevice device(int number, int node, int rail) {
        String guid = deviceGuid(number);
        FabricDevice device = SmallFabric.device(
                deviceName(node, rail),
                nodeName(node),
                guid,
                "fe80:0000:0000:0000:" + guid.replaceAll("(.{4})(?!$)", "$1:"));
        device.setSpec(FabricDeviceSpecBuilder.builder(device.getSpec())
                .osName("mlx5_" + rail)
                .build());
        return device;
    }

    static FabricSwitch fabricSwitch(String guid, List<SwitchPortSpec> ports) {
        FabricSwitch object = new FabricSwitch();
        object.setMetadata(new ObjectMetaBuilder().withName(guid).build());
        object.setSpec(FabricSwitchSpecBuilder.builder().id(guid).ports(ports).build());
        return object;
    }

    static SwitchPortSpec port(int number, String peer, int peerPort) {
        return new SwitchPortSpec(
                number, new PeerRef(peer, peerPort, null, null, null), PortState.Active, NDR, 4, null);
    }

    private String middle(int pod, int up) {
        return switchGuid(leaves() + pod * MIDDLE + up);
    }

    private String core(int up) {
        return switchGuid(leaves() + pods * MIDDLE + up);
    }

    static String switchGuid(int number) {
        return "%016x".formatted(0xa000_0000_0000_0000L + number);
    }

    static String deviceGuid(int number) {
        return "%016x".formatted(0x0002_c903_0000_0000L + number);
    }
}
