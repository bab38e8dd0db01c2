/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Lays out small host roots with the kernel's structure, for cases that no recording holds. */
final class HostBuilder {

    private final Path root;

    HostBuilder(Path root) {
        this.root = root;
        file("/proc/sys/kernel/hostname", "node1\n");
        file("/sys/devices/system/node/online", "0-1\n");
        numaNode(0, "0-7", "10 21");
        numaNode(1, "8-15", "21 10");
    }

    HostTree tree() {
        return PathHostTree.of(root);
    }

    DiscoveryResult discover() {
        return HostDiscovery.discover(tree());
    }

    Path path(String path) {
        return root.resolve(path.substring(1));
    }

    HostBuilder file(String path, String content) {
        try {
            Files.createDirectories(path(path).resolveSibling("."));
            Files.writeString(path(path), content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Vital product data of a PCI function: a name, and read-only fields of two letters and a value. */
    HostBuilder vitalProductData(String pciPath, String name, String... fields) {
        StringBuilder data = new StringBuilder();
        for (String field : fields) {
            data.append(field, 0, 2).append((char) (field.length() - 2)).append(field.substring(2));
        }
        // Large resources 0x82 (identifier) and 0x90 (read-only), each with its length, and the end tag.
        String all =
                "\u0082" + (char) name.length() + "\0" + name + "\u0090" + (char) data.length() + "\0" + data + "x";
        try {
            Files.write(path("/sys/devices/" + pciPath + "/vpd"), all.getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    HostBuilder link(String path, String target) {
        try {
            Files.createDirectories(path(path).resolveSibling("."));
            Files.createSymbolicLink(
                    path(path), path(path).resolveSibling(".").normalize().relativize(path(target)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    HostBuilder numaNode(int node, String cpus, String distances) {
        file("/sys/devices/system/node/node" + node + "/cpulist", cpus + "\n");
        return file("/sys/devices/system/node/node" + node + "/distance", distances + "\n");
    }

    /** A PCI function at a path such as {@code pci0000:00/0000:00:01.0/0000:01:00.0}. */
    HostBuilder pci(String path, String vendor, String device, String pciClass, int numaNode) {
        String directory = "/sys/devices/" + path;
        file(directory + "/vendor", "0x" + vendor + "\n");
        file(directory + "/device", "0x" + device + "\n");
        file(directory + "/class", "0x" + pciClass + "00\n");
        file(directory + "/numa_node", numaNode + "\n");
        return link("/sys/bus/pci/devices/" + PciBus.address(directory), directory);
    }

    /** A network interface of a PCI function. */
    HostBuilder net(String pciPath, String name, String address) {
        String directory = "/sys/devices/" + pciPath + "/net/" + name;
        interfaceFiles(directory, address);
        link(directory + "/device", "/sys/devices/" + pciPath);
        return link("/sys/class/net/" + name, directory);
    }

    /** A virtual network interface. */
    HostBuilder virtualNet(String name, String address) {
        String directory = "/sys/devices/virtual/net/" + name;
        interfaceFiles(directory, address);
        return link("/sys/class/net/" + name, directory);
    }

    private void interfaceFiles(String directory, String address) {
        file(directory + "/address", address + "\n");
        file(directory + "/type", address.length() == 17 ? "1\n" : "32\n");
        file(directory + "/mtu", "1500\n");
        file(directory + "/operstate", "up\n");
        file(directory + "/speed", "100000\n");
        file(directory + "/dev_port", "0\n");
    }

    /** An RDMA device of a PCI function, without ports. */
    HostBuilder rdma(String pciPath, String name, String nodeGuid, String systemImageGuid) {
        String directory = "/sys/devices/" + pciPath + "/infiniband/" + name;
        file(directory + "/node_guid", nodeGuid + "\n");
        file(directory + "/sys_image_guid", systemImageGuid + "\n");
        file(directory + "/hca_type", "MT4129\n");
        link(directory + "/device", "/sys/devices/" + pciPath);
        return link("/sys/class/infiniband/" + name, directory);
    }

    HostBuilder port(String pciPath, String name, int port, String linkLayer, String gid) {
        String directory = "/sys/devices/" + pciPath + "/infiniband/" + name + "/ports/" + port;
        file(directory + "/state", "4: ACTIVE\n");
        file(directory + "/phys_state", "5: LinkUp\n");
        file(directory + "/rate", "400 Gb/sec (4X NDR)\n");
        file(directory + "/lid", linkLayer.equals("InfiniBand") ? "0x1f\n" : "0x0\n");
        file(directory + "/link_layer", linkLayer + "\n");
        return file(directory + "/gids/0", gid + "\n");
    }
}
