/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.hostgen;

import dev.fabricoperator.fabric.cabling.Adapter;
import dev.fabricoperator.fabric.cabling.AdapterPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Writes the {@code sys}, {@code proc} and {@code etc} of a derived host, laid out as Linux does.
 *
 * Source: Linux, Documentation/ABI/stable/sysfs-class-infiniband, .../testing/sysfs-bus-pci, .../stable/sysfs-devices-node.
 */
public final class HostTree {
    private static final int CPUS_PER_NODE = 56;
    private static final String FABRIC_PREFIX = "fe80:0000:0000:0000";
    private static final String NOTE = """
            This tree is derived from an ibnetdiscover dump, not recorded on the machine.
            From the dump: host name, GUIDs, system image GUIDs, PCI device id, number of ports, LIDs, speed, width, which ports are cabled.
            Made up, always in the same way: the kernel's numbers where the dump counts HCA-1, HCA-2, ...; PCI addresses, NUMA nodes and
            their distances, firmware version, network interfaces.
            """;

    private final Path root;

    private HostTree(Path root) {
        this.root = root;
    }

    /** Writes the host below {@code root}, which is created. */
    public static void write(DerivedHost host, Path root) throws IOException {
        HostTree tree = new HostTree(root);
        tree.file("DERIVED.txt", NOTE.strip());
        tree.file("etc/hostname", host.hostname());
        tree.file("proc/sys/kernel/hostname", host.hostname());
        tree.file("proc/sys/kernel/ostype", "Linux");
        tree.numaNodes();
        for (DerivedHost.Placed adapter : host.adapters()) {
            tree.pciFunction(adapter);
            tree.rdmaDevice(adapter);
            tree.networkInterface(adapter);
        }
    }

    /**
     * Gives the host one more card, with one Ethernet interface; nobody can do RDMA over it.
     *
     * @param macAddress lower-case, with colons
     */
    public static void addEthernet(Path root, String netdev, String macAddress, long megabitsPerSecond)
            throws IOException {
        HostTree tree = new HostTree(root);
        String port = "sys/devices/pci0000:e0/0000:e0:01.0";
        String function = port + "/0000:e1:00.0";
        tree.file(port + "/class", "0x060400");
        tree.file(port + "/numa_node", "1");
        tree.file(function + "/vendor", "0x8086");
        tree.file(function + "/device", "0x1563");
        tree.file(function + "/class", "0x020000");
        tree.file(function + "/numa_node", "1");
        tree.file(function + "/local_cpulist", cpus(1));
        tree.link("sys/bus/pci/devices/0000:e0:01.0", port);
        tree.link("sys/bus/pci/devices/0000:e1:00.0", function);
        String device = function + "/net/" + netdev;
        tree.file(device + "/address", macAddress);
        tree.file(device + "/addr_len", "6");
        // ARPHRD_ETHER
        tree.file(device + "/type", "1");
        tree.file(device + "/mtu", "1500");
        tree.file(device + "/speed", Long.toString(megabitsPerSecond));
        tree.file(device + "/dev_id", "0x0");
        tree.file(device + "/dev_port", "0");
        tree.file(device + "/operstate", "up");
        tree.link(device + "/device", function);
        tree.link("sys/class/net/" + netdev, device);
    }

    /** What the kernel's files say when the cable of a port is pulled; each file changes at once. */
    public static void unplug(Path root, String osName, int port) throws IOException {
        Path directory = root.resolve("sys/class/infiniband")
                .resolve(osName)
                .toRealPath()
                .resolve("ports/" + port);
        replace(directory.resolve("state"), "1: DOWN");
        replace(directory.resolve("phys_state"), "2: Polling");
    }

    /** The opposite of {@link #unplug}. */
    public static void plug(Path root, String osName, int port) throws IOException {
        Path directory = root.resolve("sys/class/infiniband")
                .resolve(osName)
                .toRealPath()
                .resolve("ports/" + port);
        replace(directory.resolve("phys_state"), "5: LinkUp");
        replace(directory.resolve("state"), "4: ACTIVE");
    }

    private void numaNodes() throws IOException {
        file("sys/devices/system/node/online", "0-1");
        file("sys/devices/system/node/possible", "0-1");
        file("sys/devices/system/node/has_cpu", "0-1");
        file("sys/devices/system/node/has_memory", "0-1");
        file("sys/devices/system/node/node0/distance", "10 21");
        file("sys/devices/system/node/node1/distance", "21 10");
        for (int node = 0; node < 2; node++) {
            file("sys/devices/system/node/node" + node + "/cpulist", cpus(node));
        }
    }

    private void pciFunction(DerivedHost.Placed placed) throws IOException {
        String path = "sys/devices/" + placed.pciPath();
        Adapter adapter = placed.adapter();
        file(path + "/vendor", "0x15b3");
        file(path + "/device", "0x" + (adapter.deviceId() == null ? "0000" : adapter.deviceId()));
        file(path + "/class", "0x020700");
        file(path + "/numa_node", Integer.toString(placed.numaNode()));
        file(path + "/local_cpulist", cpus(placed.numaNode()));
        file(path + "/uevent", "DRIVER=mlx5_core\nPCI_SLOT_NAME=" + placed.pciAddress());
        Files.createDirectories(root.resolve("sys/bus/pci/drivers/mlx5_core"));
        link(path + "/driver", "sys/bus/pci/drivers/mlx5_core");
        link("sys/bus/pci/devices/" + placed.pciAddress(), path);
        // The root port above the card, so that paths through the PCI tree end at a device that has a class.
        String port = path.substring(0, path.lastIndexOf('/'));
        if (Files.notExists(root.resolve(port + "/class"))) {
            file(port + "/vendor", "0x8086");
            file(port + "/device", "0x352a");
            file(port + "/class", "0x060400");
            file(port + "/numa_node", Integer.toString(placed.numaNode()));
            link("sys/bus/pci/devices/" + port.substring(port.lastIndexOf('/') + 1), port);
        }
    }

    private void rdmaDevice(DerivedHost.Placed placed) throws IOException {
        Adapter adapter = placed.adapter();
        String device = "sys/devices/" + placed.pciPath() + "/infiniband/" + placed.osName();
        file(device + "/node_type", "1: CA");
        file(device + "/node_guid", colons(adapter.id()));
        file(
                device + "/sys_image_guid",
                colons(adapter.systemImageGuid() == null ? adapter.id() : adapter.systemImageGuid()));
        file(device + "/node_desc", adapter.description() == null ? "" : adapter.description());
        file(device + "/hca_type", "MT" + (adapter.deviceId() == null ? 0 : Integer.parseInt(adapter.deviceId(), 16)));
        file(device + "/fw_ver", "28.39.1002");
        link(device + "/device", "sys/devices/" + placed.pciPath());
        link("sys/class/infiniband/" + placed.osName(), device);
        for (AdapterPort port : adapter.ports()) {
            port(device + "/ports/" + port.number(), port);
        }
    }

    private void port(String directory, AdapterPort port) throws IOException {
        boolean cabled = port.peer() != null;
        int lid = port.lid() == null ? 0xffff : port.lid();
        file(directory + "/state", cabled ? "4: ACTIVE" : "1: DOWN");
        file(directory + "/phys_state", cabled ? "5: LinkUp" : "3: Disabled");
        file(directory + "/link_layer", "InfiniBand");
        file(directory + "/lid", "0x" + Integer.toHexString(lid));
        file(directory + "/lid_mask_count", "0");
        file(directory + "/sm_lid", "0x1");
        file(directory + "/sm_sl", "0");
        if (port.speedBitsPerSecond() != null && port.width() != null) {
            file(directory + "/rate", RateText.of(port.speedBitsPerSecond(), port.width()));
        }
        if (port.portGuid() != null) {
            file(directory + "/gids/0", FABRIC_PREFIX + ":" + colons(port.portGuid()));
        }
    }

    private void networkInterface(DerivedHost.Placed placed) throws IOException {
        AdapterPort port = placed.adapter().ports().stream().findFirst().orElse(null);
        if (port == null || port.portGuid() == null) {
            return;
        }
        String device = "sys/devices/" + placed.pciPath() + "/net/" + placed.netdev();
        file(
                device + "/address",
                "00:00:10:49:fe:80:00:00:00:00:00:00:"
                        + String.join(":", port.portGuid().split("(?<=\\G..)")));
        file(device + "/addr_len", "20");
        // ARPHRD_INFINIBAND
        file(device + "/type", "32");
        file(device + "/mtu", "4092");
        file(device + "/dev_id", "0x0");
        file(device + "/dev_port", "0");
        file(device + "/operstate", port.peer() == null ? "down" : "up");
        link(device + "/device", "sys/devices/" + placed.pciPath());
        link("sys/class/net/" + placed.netdev(), device);
    }

    private static String cpus(int numaNode) {
        return numaNode * CPUS_PER_NODE + "-" + ((numaNode + 1) * CPUS_PER_NODE - 1);
    }

    private static String colons(String guid) {
        return String.join(":", guid.split("(?<=\\G....)"));
    }

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.resolveSibling(""));
        Files.writeString(file, text + "\n");
    }

    private void link(String path, String target) throws IOException {
        Path link = root.resolve(path);
        Path directory = Files.createDirectories(link.resolveSibling("").normalize());
        Files.createSymbolicLink(link, directory.relativize(root.resolve(target)));
    }

    private static void replace(Path file, String text) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(fresh, text + "\n");
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
