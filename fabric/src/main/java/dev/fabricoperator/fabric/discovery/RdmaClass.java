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
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Devices of {@code /sys/class/infiniband}: InfiniBand, OmniPath, RoCE, iWARP, EFA; one discovered for each port.
 *
 * @see "Linux Documentation/ABI/stable/sysfs-class-infiniband"
 */
final class RdmaClass {

    private static final String CLASS = "/sys/class/infiniband";
    private static final int MAXIMUM_GIDS = 128;

    /** As of FabricDevices. The kernel's numbers have 32 bits since Linux 5.13, and are dense from 1. */
    private static final int MAXIMUM_PORT = 65_535;

    private static final String SUBNET_MANAGEMENT_NAME = "smi[0-9]+";

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

    /**
     * A device of the class, of which it is not yet known whether it is one of a fabric.
     *
     * @param devicePath null for one on no bus, and for software
     */
    private record Entry(
            String name, String path, @Nullable String devicePath, boolean software, List<Integer> ports) {}

    /** Every port of every device that is one of a fabric, and of software. Dangling links in the class are skipped. */
    List<DiscoveredDevice> discovered() {
        List<Entry> entries = new ArrayList<>();
        for (String name : host.names(CLASS)) {
            String path = host.tree().realPath(CLASS + "/" + name);
            if (path == null) {
                continue;
            }
            if (!name.matches("[!-~]{1,63}")) {
                host.fail(CLASS, "not a device name: " + SysfsValues.quoted(name));
                continue;
            }
            String devicePath = DiscoveredDevice.devicePath(host.tree(), path, "infiniband");
            boolean software = isSoftware(path, devicePath);
            entries.add(new Entry(name, path, software ? null : devicePath, software, ports(path)));
        }
        Set<String> rdmaPaths =
                entries.stream().flatMap(e -> Stream.ofNullable(e.devicePath())).collect(Collectors.toSet());
        List<DiscoveredDevice> found = new ArrayList<>();
        for (Entry entry : withoutCompanions(entries)) {
            found.addAll(entry.software() ? software(entry) : hardware(entry, rdmaPaths));
        }
        return found;
    }

    /**
     * One device of each bus device. What has the node GUID of another on the same bus device is no device of its own: the
     * ports of planes, over which a subnet manager reaches a card of several planes (Linux 6.11, {@code rdma dev add smi1
     * type SMI}), and what Linux made of each representor before 5.2.
     */
    private List<Entry> withoutCompanions(List<Entry> entries) {
        AttributeReader silent = new AttributeReader(host.tree());
        Map<String, List<Entry>> byFunction = new TreeMap<>();
        for (Entry entry : entries) {
            if (entry.devicePath() != null) {
                byFunction
                        .computeIfAbsent(entry.devicePath(), path -> new ArrayList<>())
                        .add(entry);
            }
        }
        byFunction.values().removeIf(together -> together.size() == 1);
        if (byFunction.isEmpty()) {
            return entries;
        }
        Set<String> withVerbs = devicesWithVerbs(silent);
        // SMI devices have no verbs, and rdma-core gives them their names.
        Comparator<Entry> order = Comparator.comparing((Entry e) -> !withVerbs.contains(e.name()))
                .thenComparing(e -> e.name().matches(SUBNET_MANAGEMENT_NAME))
                .thenComparingInt(e -> e.ports().size())
                .thenComparingInt(e -> e.name().length())
                .thenComparing(Entry::name);
        Set<Entry> companions = new HashSet<>();
        for (List<Entry> together : byFunction.values()) {
            together.sort(order);
            Entry first = together.getFirst();
            String guid = silent.parsed(first.path() + "/node_guid", SysfsValues::guid);
            for (Entry other : together.subList(1, together.size())) {
                if (other.name().matches(SUBNET_MANAGEMENT_NAME)
                        || guid != null && guid.equals(silent.parsed(other.path() + "/node_guid", SysfsValues::guid))) {
                    companions.add(other);
                }
            }
        }
        return entries.stream().filter(e -> !companions.contains(e)).toList();
    }

    private Set<String> devicesWithVerbs(AttributeReader reader) {
        return reader.names("/sys/class/infiniband_verbs").stream()
                .flatMap(verbs -> Stream.ofNullable(reader.text("/sys/class/infiniband_verbs/" + verbs + "/ibdev")))
                .collect(Collectors.toSet());
    }

    private List<DiscoveredDevice> hardware(Entry entry, Set<String> rdmaPaths) {
        AttributeReader silent = new AttributeReader(host.tree());
        List<Integer> ports = entry.ports();
        String devicePath = entry.devicePath();
        if (devicePath != null && ports.size() > 1) {
            Optional<EmbeddedSwitch> inCard = EmbeddedSwitch.of(host.tree(), interfaces, devicePath, rdmaPaths);
            if (inCard.isPresent()) {
                List<EmbeddedSwitch.Uplink> uplinks = inCard.get()
                        .uplinks(
                                ports,
                                port -> namedByGids(silent, portPath(entry, port)),
                                port -> silent.parsed(portPath(entry, port) + "/state", SysfsValues::portState)
                                        == PortState.Active);
                return uplinks.stream()
                        .map(uplink -> port(entry, uplink.port(), uplinks.size(), (reader, gids) -> uplink.netdev()))
                        .toList();
            }
        }
        return ports.stream()
                .map(port -> port(
                        entry, port, ports.size(), (reader, gids) -> netdev(reader, entry, gids, port, ports.size())))
                .toList();
    }

    /** None over the loopback. */
    private List<DiscoveredDevice> software(Entry entry) {
        NetInterface netdev = softwareNetdev(entry);
        if (netdev != null && netdev.isLoopback(host.tree())) {
            return List.of();
        }
        return entry.ports().stream()
                .map(port -> port(entry, port, entry.ports().size(), (reader, gids) -> netdev))
                .toList();
    }

    /**
     * Whether the kernel does the RDMA itself: a device on no bus; rxe, which names its parent interface; siw, which was on
     * the bus device of its interface until Linux 6.4, as an iWARP adapter without model and firmware. An adapter without both,
     * such as Alibaba's eRDMA, has its interface on another bus device.
     */
    private boolean isSoftware(String path, @Nullable String devicePath) {
        HostTree tree = host.tree();
        if (path.startsWith("/sys/devices/virtual/") || tree.exists(path + "/parent")) {
            return true;
        }
        String nodeType = new AttributeReader(tree).text(path + "/node_type");
        return nodeType != null
                && nodeType.startsWith("4")
                && tree.read(path + "/fw_ver", AttributeReader.MAXIMUM_BYTES) instanceof HostTree.Text(String version)
                && version.isBlank()
                && !tree.exists(path + "/hca_type")
                && (path.contains("/net/") || devicePath != null && tree.exists(devicePath + "/net"));
    }

    /** What rxe says, what the GIDs are of, where siw was shown, or whose address the GUID was made of. */
    private @Nullable NetInterface softwareNetdev(Entry entry) {
        AttributeReader silent = new AttributeReader(host.tree());
        Set<String> names = new LinkedHashSet<>();
        Stream.ofNullable(silent.text(entry.path() + "/parent")).forEach(names::add);
        entry.ports().forEach(port -> names.addAll(namedByGids(silent, portPath(entry, port))));
        return interfaces.stream()
                .filter(n -> names.contains(n.name()) || entry.path().startsWith(n.path() + "/infiniband/"))
                .findFirst()
                .orElseGet(() -> withAddressOfGuid(entry, null));
    }

    /** @param kind {@code null} for any */
    private @Nullable NetInterface withAddressOfGuid(Entry entry, NetInterface.@Nullable Kind kind) {
        String guid = SysfsValues.withoutColons(
                new AttributeReader(host.tree()).parsed(entry.path() + "/node_guid", SysfsValues::guid));
        return interfaces.stream()
                .filter(n -> guid != null && (kind == null || n.kind() == kind) && n.madeGuid(host.tree(), guid))
                .findFirst()
                .orElse(null);
    }

    private List<Integer> ports(String path) {
        Set<Integer> ports = new TreeSet<>();
        for (String port : host.names(path + "/ports")) {
            if (!port.matches("[1-9][0-9]{0,9}")) {
                continue;
            }
            long number = Long.parseLong(port);
            if (number <= MAXIMUM_PORT) {
                ports.add((int) number);
            } else {
                host.fail(path + "/ports", "port " + port + " is above " + MAXIMUM_PORT);
            }
        }
        if (ports.isEmpty() && !host.failed()) {
            // The kernel makes the ports before it shows the device: without any, this read saw half of it.
            host.fail(path + "/ports", "no port");
        }
        return List.copyOf(ports);
    }

    private static String portPath(Entry entry, int port) {
        return entry.path() + "/ports/" + port;
    }

    /**
     * @param ports how many of the device are published
     * @param netdevOf its interface by its reader and its GIDs
     */
    private DiscoveredDevice port(
            Entry entry,
            int port,
            int ports,
            BiFunction<AttributeReader, List<String>, @Nullable NetInterface> netdevOf) {
        AttributeReader reader = new AttributeReader(host.tree());
        String path = entry.path();
        DeviceBuilder builder = DeviceBuilder.builder()
                .osName(entry.name())
                .port(port)
                .type(DeviceType.OpenFabrics)
                .function(entry.software() ? Function.Software : Function.Physical)
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

        String portPath = portPath(entry, port);
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

        String devicePath = entry.devicePath();
        builder.driver(DiscoveredDevice.driver(host.tree(), devicePath));
        NetInterface netdev = netdevOf.apply(reader, builder.gids());
        if (netdev != null && !host.tree().exists(portPath + "/rate")) {
            builder.speedBitsPerSecond(netdev.speedBitsPerSecond(reader));
        } else if (netdev != null && netdev.kind() == NetInterface.Kind.Bond) {
            // The rate is that of one member.
            Long together = netdev.speedBitsPerSecond(reader);
            if (together != null && (rate == null || together > rate.bitsPerSecond())) {
                builder.speedBitsPerSecond(together);
            }
        }
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
     * with the port's GUID in its IPoIB address, else the one with the port's number. Where the bus device has none, the one
     * whose address the node GUID was made of, as of eRDMA.
     */
    private @Nullable NetInterface netdev(AttributeReader reader, Entry entry, List<String> gids, int port, int ports) {
        String portPath = portPath(entry, port);
        String devicePath = entry.devicePath();
        List<NetInterface> candidates = interfaces.stream()
                .filter(n -> n.kind() == NetInterface.Kind.Port)
                .filter(n -> devicePath != null && devicePath.equals(n.devicePath()))
                .toList();
        Set<String> named = namedByGids(reader, portPath);
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
        if (candidates.isEmpty() && ports == 1) {
            return withAddressOfGuid(entry, NetInterface.Kind.Port);
        }
        if (ports == 1 && candidates.size() == 1) {
            return candidates.getFirst();
        }
        return candidates.stream()
                .filter(n -> n.portIndex(new AttributeReader(host.tree())) == port - 1)
                .findFirst()
                .orElse(null);
    }

    /** Names of the interfaces that the GIDs of a port are of, in table order. */
    private static Set<String> namedByGids(AttributeReader reader, String portPath) {
        Set<String> named = new LinkedHashSet<>();
        for (String index : reader.names(portPath + "/gid_attrs/ndevs")) {
            // Reading the entry of an empty GID gives EINVAL, which is no error.
            String name = reader.text(portPath + "/gid_attrs/ndevs/" + index);
            if (name != null) {
                named.add(name);
            }
        }
        return named;
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
