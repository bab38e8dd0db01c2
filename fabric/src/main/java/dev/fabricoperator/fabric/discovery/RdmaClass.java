/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import dev.fabricoperator.fabric.device.DeviceBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PortState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Devices of {@code /sys/class/infiniband}: InfiniBand, OmniPath, RoCE, iWARP, EFA; one discovered for each port.
 *
 * @see "Linux Documentation/ABI/stable/sysfs-class-infiniband"
 */
final class RdmaClass {

    private static final String CLASS = "/sys/class/infiniband";
    private static final int MAXIMUM_GIDS = 128;

    private final AttributeReader host;
    private final List<NetInterface> interfaces;

    /**
     * @param host collects errors that belong to no device
     * @param interfaces every network interface of the host
     */
    RdmaClass(AttributeReader host, List<NetInterface> interfaces) {
        this.host = host;
        this.interfaces = interfaces;
    }

    /** Every port of every device, by name and number. Dangling links in the class directory are skipped. */
    List<DiscoveredDevice> discovered() {
        List<DiscoveredDevice> found = new ArrayList<>();
        for (String name : host.names(CLASS)) {
            String path = host.tree().realPath(CLASS + "/" + name);
            if (path == null) {
                continue;
            }
            if (!name.matches("[!-~]{1,63}")) {
                host.fail(CLASS, "not a device name: " + SysfsValues.quoted(name));
                continue;
            }
            List<Integer> ports = ports(path);
            for (int port : ports) {
                found.add(port(name, path, port, ports.size()));
            }
        }
        return found;
    }

    private List<Integer> ports(String path) {
        Set<Integer> ports = new TreeSet<>();
        for (String port : host.names(path + "/ports")) {
            if (port.matches("[1-9][0-9]{0,2}") && Integer.parseInt(port) <= 254) {
                ports.add(Integer.parseInt(port));
            }
        }
        if (ports.isEmpty() && !host.failed()) {
            // The kernel makes the ports before it shows the device: without any, this read saw half of it.
            host.fail(path + "/ports", "no port");
        }
        return List.copyOf(ports);
    }

    private DiscoveredDevice port(String name, String path, int port, int ports) {
        AttributeReader reader = new AttributeReader(host.tree());
        DeviceBuilder builder = DeviceBuilder.builder()
                .osName(name)
                .port(port)
                .type(DeviceType.OpenFabrics)
                .function(Function.Physical)
                .model(reader.text(path + "/hca_type"))
                .board(reader.text(path + "/board_id"))
                .firmware(reader.text(path + "/fw_ver"));

        String nodeGuid = reader.required(path + "/node_guid", SysfsValues::guid);
        String systemImageGuid = reader.required(path + "/sys_image_guid", SysfsValues::guid);
        builder.nodeGuid(SysfsValues.withoutColons(nodeGuid))
                .systemImageGuid(SysfsValues.withoutColons(systemImageGuid));
        if (nodeGuid != null && systemImageGuid != null) {
            builder.deviceId("fab://" + nodeGuid + "::" + systemImageGuid + (ports > 1 ? "#" + port : ""));
        }

        String portPath = path + "/ports/" + port;
        PortState state = reader.required(portPath + "/state", SysfsValues::portState);
        builder.state(state == null ? PortState.Unknown : state)
                .physicalState(reader.required(portPath + "/phys_state", SysfsValues::physicalState))
                .lid(reader.required(portPath + "/lid", SysfsValues::lid))
                .linkLayer(linkLayer(reader, portPath + "/link_layer"));
        SysfsValues.Rate rate = reader.required(portPath + "/rate", SysfsValues::rate);
        if (rate != null) {
            builder.speedBitsPerSecond(rate.bitsPerSecond()).width(rate.width());
        }
        builder.gids(gids(reader, portPath));

        String devicePath = DiscoveredDevice.devicePath(host.tree(), path, "infiniband");
        builder.driver(DiscoveredDevice.driver(host.tree(), devicePath));
        NetInterface netdev = netdev(reader, portPath, devicePath, builder.gids(), port, ports);
        builder.family(family(reader, path, devicePath, builder, netdev));
        builder.portGuid(portGuid(reader, builder, netdev));
        return new DiscoveredDevice(builder, reader, devicePath, netdev);
    }

    private static @Nullable String linkLayer(AttributeReader reader, String path) {
        return reader.required(path, line -> {
            if (!line.matches("[A-Za-z]{1,32}")) {
                throw new AttributeReader.Garbled("not a link layer: " + SysfsValues.quoted(line));
            }
            return line;
        });
    }

    /** Entries in table order without the empty ones, at most 128. */
    private static List<String> gids(AttributeReader reader, String portPath) {
        List<String> gids = new ArrayList<>();
        for (int index : gidIndexes(reader, portPath)) {
            String gid = reader.parsed(portPath + "/gids/" + index, SysfsValues::gid);
            if (gid != null && gids.size() < MAXIMUM_GIDS) {
                gids.add(gid);
            }
        }
        return gids;
    }

    private static Set<Integer> gidIndexes(AttributeReader reader, String portPath) {
        Set<Integer> indexes = new TreeSet<>();
        for (String index : reader.names(portPath + "/gids")) {
            if (index.matches("[0-9]{1,4}")) {
                indexes.add(Integer.parseInt(index));
            }
        }
        return indexes;
    }

    /**
     * The network interface of the same port: what the GID table names, else among those of the same bus device the one
     * with the port's GUID in its IPoIB address, else the one with the port's number.
     */
    private @Nullable NetInterface netdev(
            AttributeReader reader,
            String portPath,
            @Nullable String devicePath,
            List<String> gids,
            int port,
            int ports) {
        List<NetInterface> candidates = interfaces.stream()
                .filter(n -> n.kind() == NetInterface.Kind.Port)
                .filter(n -> devicePath != null && devicePath.equals(n.devicePath()))
                .toList();
        Set<String> named = new LinkedHashSet<>();
        for (String index : reader.names(portPath + "/gid_attrs/ndevs")) {
            // Reading the entry of an empty GID gives EINVAL, which is no error.
            String name = reader.text(portPath + "/gid_attrs/ndevs/" + index);
            if (name != null) {
                named.add(name);
            }
        }
        for (NetInterface netdev : interfaces) {
            boolean own = candidates.contains(netdev) || candidates.isEmpty();
            boolean port0 = netdev.kind() == NetInterface.Kind.Bond || netdev.kind() == NetInterface.Kind.Port && own;
            if (port0 && named.contains(netdev.name())) {
                return netdev;
            }
        }
        for (NetInterface netdev : candidates) {
            String address = netdev.address(new AttributeReader(host.tree()));
            if (address != null && gids.stream().anyMatch(gid -> endsWithInterfaceId(address, gid))) {
                return netdev;
            }
        }
        if (ports == 1 && candidates.size() == 1) {
            return candidates.getFirst();
        }
        return candidates.stream()
                .filter(n -> n.portIndex(new AttributeReader(host.tree())) == port - 1)
                .findFirst()
                .orElse(null);
    }

    /** The last 8 bytes of an IPoIB address are the port's GUID, as are those of its GIDs. RFC 4391, section 9.1.1. */
    private static boolean endsWithInterfaceId(String address, String gid) {
        return address.length() == 59
                && interfaceId(gid).equals(address.substring(36).replace(":", ""));
    }

    private static String interfaceId(String gid) {
        return gid.substring(20).replace(":", "");
    }

    /** What a port speaks; where the kernel's {@code link_layer} is missing, what else there is evidence for. */
    private Family family(
            AttributeReader reader,
            String path,
            @Nullable String devicePath,
            DeviceBuilder device,
            @Nullable NetInterface netdev) {
        String function = devicePath == null ? null : PciBus.functionOf(devicePath);
        // Errors of these files are reported where the PCI function is read for its own sake.
        AttributeReader silent = new AttributeReader(host.tree());
        String vendor = function == null ? null : silent.parsed(function + "/vendor", SysfsValues::pciId);
        String id = function == null ? null : silent.parsed(function + "/device", SysfsValues::pciId);
        String driver = device.driver() == null ? "" : device.driver();
        boolean anonymous = device.driver() == null && vendor == null;

        if (driver.equals("efa")
                || PciVendors.isElasticFabricAdapter(vendor, id)
                || anonymous && device.osName().matches("(efa_|rdmap).*") && "Unspecified".equals(device.linkLayer())) {
            return Family.EFA;
        }
        if (driver.startsWith("hfi")
                || PciVendors.isOmniPath(vendor, id)
                || anonymous && device.osName().matches("(hfi[0-9]|opa).*")) {
            return Family.OmniPath;
        }
        String nodeType = reader.text(path + "/node_type");
        String model = device.model() == null ? "" : device.model();
        if (nodeType != null && nodeType.startsWith("4")
                || driver.matches("i40iw|iw_cxgb4|siw")
                || model.equals("I40IW")
                || anonymous && device.osName().matches("(i40iw|iwp|siw|cxgb4_).*")) {
            return Family.iWARP;
        }
        // "Unspecified" and "Unknown" are no evidence.
        if ("InfiniBand".equals(device.linkLayer())) {
            return Family.InfiniBand;
        }
        if ("Ethernet".equals(device.linkLayer())) {
            return Family.RoCE;
        }
        if (netdev != null && netdev.type(silent) instanceof Integer type) {
            return type == NetInterface.INFINIBAND ? Family.InfiniBand : Family.RoCE;
        }
        String pciClass = function == null ? null : silent.parsed(function + "/class", SysfsValues::pciClass);
        boolean ethernet = device.lid() == null
                && ("0200".equals(pciClass) || device.gids().stream().anyMatch(RdmaClass::isMappedIpv4));
        return ethernet ? Family.RoCE : Family.InfiniBand;
    }

    static boolean isMappedIpv4(String gid) {
        return gid.startsWith("0000:0000:0000:0000:0000:ffff:");
    }

    /** The port's GUID is the interface id of its GIDs, on fabrics that have GUIDs. */
    private @Nullable String portGuid(AttributeReader reader, DeviceBuilder device, @Nullable NetInterface netdev) {
        if (device.family() != Family.InfiniBand && device.family() != Family.OmniPath) {
            return null;
        }
        for (String gid : device.gids()) {
            if (gid.startsWith("fe80:") && !interfaceId(gid).equals("0000000000000000")) {
                return interfaceId(gid);
            }
        }
        String address = netdev == null ? null : netdev.address(reader);
        return address != null && address.length() == 59 ? address.substring(36).replace(":", "") : null;
    }
}
