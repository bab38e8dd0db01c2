/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import dev.fabricoperator.fabric.device.Accelerator;
import dev.fabricoperator.fabric.device.Device;
import dev.fabricoperator.fabric.device.DeviceBuilder;
import dev.fabricoperator.fabric.device.DeviceType;
import dev.fabricoperator.fabric.device.Family;
import dev.fabricoperator.fabric.device.Function;
import dev.fabricoperator.fabric.device.PciFunction;
import dev.fabricoperator.fabric.device.PortState;
import dev.fabricoperator.fabric.device.Role;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Adds what is read the same way for every device: PCI function, NUMA node, accelerators. */
final class Enrichment {

    private final AttributeReader host;
    private final List<NetInterface> interfaces;
    private final NumaTopology numa;
    private final List<PciBus.AcceleratorFunction> accelerators;
    private final boolean acceleratorsKnown;
    private final HostNetwork network;
    private final Set<String> carriers;
    private final String hostname;
    private final Map<String, String> sameCard = new HashMap<>();

    Enrichment(AttributeReader host, List<NetInterface> interfaces, DiscoveryOptions options, String hostname) {
        this.host = host;
        this.interfaces = interfaces;
        this.numa = NumaTopology.read(host);
        AttributeReader bus = new AttributeReader(host.tree());
        this.accelerators = PciBus.accelerators(bus);
        this.acceleratorsKnown = !bus.failed();
        host.addAll(bus);
        this.network = HostNetwork.read(host, options);
        this.carriers = network.carriers(host, interfaces, options.internalAddresses());
        this.hostname = hostname;
    }

    /** Devices in the order of their directories. Errors of files that belong to the host as a whole are not theirs. */
    List<Device> devices(List<DiscoveredDevice> found) {
        for (DiscoveredDevice discovered : found) {
            String slot = slot(discovered);
            String guid = cardGuid(discovered);
            if (slot != null && guid != null) {
                join(slot, guid);
            }
        }
        List<Device> devices = new ArrayList<>();
        for (DiscoveredDevice discovered : found) {
            devices.add(device(discovered));
        }
        return withUniqueIds(devices);
    }

    /** Whether all accelerators of the host are among its devices, where they are wanted. */
    boolean acceleratorsKnown() {
        return acceleratorsKnown;
    }

    /** Accelerators that may speak NVLink: those of NVIDIA, each by its PCI address. */
    List<DiscoveredDevice> nvlinkDevices() {
        return accelerators.stream()
                .filter(accelerator ->
                        PciVendors.speaksNvlink(accelerator.function().vendorId()))
                .map(this::nvlinkDevice)
                .toList();
    }

    private DiscoveredDevice nvlinkDevice(PciBus.AcceleratorFunction accelerator) {
        AttributeReader reader = new AttributeReader(host.tree());
        String vendor = reader.parsed(accelerator.path() + "/subsystem_vendor", SysfsValues::pciId);
        String board = reader.parsed(accelerator.path() + "/subsystem_device", SysfsValues::pciId);
        DeviceBuilder device = DeviceBuilder.builder()
                .osName(accelerator.function().address())
                .port(0)
                .type(DeviceType.Gpu)
                .family(Family.NVLink)
                .function(Function.Physical)
                .driver(DiscoveredDevice.driver(host.tree(), accelerator.path()))
                .board(vendor == null || board == null ? null : vendor + ":" + board)
                .state(PortState.Unknown);
        return new DiscoveredDevice(device, reader, accelerator.path(), null);
    }

    private Device device(DiscoveredDevice discovered) {
        DeviceBuilder device = discovered.builder().hostname(hostname).source("sysfs");
        AttributeReader reader = discovered.reader();
        String functionPath = discovered.functionPath();
        if (functionPath != null) {
            PciFunction function = PciBus.read(reader, functionPath);
            device.pci(function).busType("PCI").vendor(PciVendors.name(function.vendorId()));
            boolean virtual = isSubFunction(host.tree(), discovered)
                    || PciBus.physicalFunction(host.tree(), functionPath) != null
                    || PciVendors.isVirtualFunction(function.vendorId(), function.deviceId());
            if (virtual) {
                device.function(Function.Virtual);
            }
        } else if (discovered.devicePath() == null) {
            device.busType("virtual");
        }
        NetInterface netdev = discovered.netdev();
        if (netdev != null) {
            describe(device, netdev, reader);
        }
        place(device, discovered);
        device.card(card(discovered)).role(role(device, functionPath));
        if (device.deviceId() == null) {
            device.deviceId(networkId(device, netdev, reader));
        }
        return device.readErrors(reader.errors()).build();
    }

    private void describe(DeviceBuilder device, NetInterface netdev, AttributeReader reader) {
        device.netdev(netdev.name()).mtuBytes(netdev.mtuBytes(reader));
        if (netdev.kind() == NetInterface.Kind.Bond && device.function() != Function.Software) {
            device.function(Function.Bond);
        }
        String address = netdev.address(reader);
        // The 20 bytes of IPoIB are no MAC: they hold a queue pair number, which is new with every start of the driver.
        if (address != null && address.length() == 17) {
            device.macAddress(address);
        }
        if (device.type() == DeviceType.Network) {
            device.speedBitsPerSecond(netdev.speedBitsPerSecond(reader));
        }
        device.ipAddresses(network.addresses(netdev.name()));
    }

    /** NUMA node, distances and accelerators. */
    private void place(DeviceBuilder device, DiscoveredDevice discovered) {
        AttributeReader reader = discovered.reader();
        NetInterface netdev = discovered.netdev();
        String functionPath = discovered.functionPath();
        String path = functionPath != null ? functionPath : discovered.devicePath();
        if (path == null) {
            Set<Integer> nodes = netdev == null ? Set.of() : memberNodes(netdev, reader);
            device.numaNode(nodes.size() == 1 ? nodes.iterator().next() : null);
            device.distances(nodes.isEmpty() ? List.of() : numa.distances(List.copyOf(nodes)));
            return;
        }
        Integer node = reader.required(path + "/numa_node", SysfsValues::numaNode);
        BitSet localCpus = reader.parsed(path + "/local_cpulist", SysfsValues::numberList);
        device.numaNode(node);
        if (node != null) {
            String contradiction = localCpus == null ? null : numa.contradiction(node, localCpus);
            if (contradiction != null) {
                reader.contradiction(path + "/local_cpulist", contradiction);
            }
            device.distances(numa.distances(List.of(node)));
        } else {
            device.distances(numa.distances(localCpus == null ? List.of() : numa.nodesOf(localCpus)));
        }
        if (functionPath != null) {
            device.accelerators(accelerators.stream()
                    .filter(a -> !a.path().equals(functionPath))
                    .map(a -> new Accelerator(
                            a.function().address(),
                            a.function().vendorId(),
                            a.function().deviceId(),
                            PciBus.path(functionPath, node, a.path(), a.numaNode(), numa.size())))
                    .sorted(Comparator.comparing(Accelerator::path).thenComparing(Accelerator::pciAddress))
                    .toList());
        }
    }

    /** NUMA nodes that a bond's members are on. */
    private Set<Integer> memberNodes(NetInterface bond, AttributeReader reader) {
        Set<Integer> nodes = new TreeSet<>();
        List<String> members = bond.members(reader);
        for (NetInterface netdev : interfaces) {
            String functionPath = netdev.functionPath();
            if (functionPath != null && members.contains(netdev.name())) {
                Integer node = reader.parsed(functionPath + "/numa_node", SysfsValues::numaNode);
                if (node != null) {
                    nodes.add(node);
                }
            }
        }
        return nodes;
    }

    /** The slot of the card; a virtual function is on the card of its physical function. */
    private @Nullable String slot(DiscoveredDevice discovered) {
        String functionPath = discovered.functionPath();
        if (functionPath == null) {
            return null;
        }
        String physical = PciBus.physicalFunction(host.tree(), functionPath);
        return PciBus.slot(physical != null ? physical : functionPath);
    }

    private static boolean isSubFunction(HostTree tree, DiscoveredDevice discovered) {
        String devicePath = discovered.devicePath();
        return devicePath != null && PciBus.isSubFunction(tree, devicePath);
    }

    /** The system image GUID, where it is one of the card. */
    private @Nullable String cardGuid(DiscoveredDevice discovered) {
        DeviceBuilder device = discovered.builder();
        String functionPath = discovered.functionPath();
        AttributeReader silent = new AttributeReader(host.tree());
        String vendor = functionPath == null ? null : silent.parsed(functionPath + "/vendor", SysfsValues::pciId);
        String id = functionPath == null ? null : silent.parsed(functionPath + "/device", SysfsValues::pciId);
        if (device.family() == Family.OmniPath || PciVendors.hasSystemImageOfHost(device.driver(), vendor, id)) {
            // Without a slot, the GUID of the one adapter is all that tells it from others.
            return functionPath == null ? device.nodeGuid() : null;
        }
        return device.systemImageGuid();
    }

    /** Notes that a slot and a system image GUID are of one card: one with two slots, or with a GUID for each port. */
    private void join(String slot, String guid) {
        String one = cardOf(slot);
        String other = cardOf(guid);
        // GUIDs have no colon, and name a card rather than a slot does.
        boolean guidFirst = one.contains(":") != other.contains(":") ? other.contains(":") : one.compareTo(other) < 0;
        if (!one.equals(other)) {
            sameCard.put(guidFirst ? other : one, guidFirst ? one : other);
        }
    }

    private String cardOf(String name) {
        String card = name;
        while (sameCard.get(card) instanceof String other) {
            card = other;
        }
        return card;
    }

    private @Nullable String card(DiscoveredDevice discovered) {
        if (discovered.builder().function() == Function.Software) {
            return null;
        }
        String slot = slot(discovered);
        String name = slot != null ? slot : cardGuid(discovered);
        return name == null ? null : cardOf(name);
    }

    private Role role(DeviceBuilder device, @Nullable String functionPath) {
        if (device.netdev() != null && carriers.contains(device.netdev()) && isEthernet(device)) {
            return Role.Management;
        }
        if (device.function() == Function.Software) {
            return Role.Unknown;
        }
        if (device.family() == Family.InfiniBand && functionPath != null && device.pci() != null) {
            return infiniBandRole(device.pci(), functionPath);
        }
        // A plain Ethernet port may as well lead to storage or nowhere; an RDMA port is there for a fabric.
        boolean known = !isEthernet(device) || device.family() != Family.Ethernet && network.routesKnown();
        return known ? Role.Fabric : Role.Unknown;
    }

    private static boolean isEthernet(DeviceBuilder device) {
        return device.family() == Family.Ethernet || device.family() == Family.RoCE || device.family() == Family.iWARP;
    }

    /** A card that manages NVLink switches says so in its vital product data, which only root may read. */
    private Role infiniBandRole(PciFunction function, String functionPath) {
        if (!PciVendors.mayManageSwitches(function.vendorId())) {
            return Role.Fabric;
        }
        return switch (PciBus.vitalProductData(host.tree(), functionPath)) {
            case HostTree.Text(String data) -> data.contains(PciVendors.SWITCH_MANAGER) ? Role.Management : Role.Fabric;
            case HostTree.Absent() -> Role.Fabric;
            case HostTree.Unreadable(String reason) ->
                PciVendors.mayManageSwitches(
                                function,
                                accelerators.stream()
                                        .map(PciBus.AcceleratorFunction::function)
                                        .toList())
                        ? Role.Unknown
                        : Role.Fabric;
        };
    }

    private @Nullable String networkId(DeviceBuilder device, @Nullable NetInterface netdev, AttributeReader reader) {
        if (device.type() != DeviceType.Network || netdev == null) {
            return null;
        }
        String address = netdev.permanentAddress(reader);
        return address == null || address.length() != 17 ? null : "ipv4://" + address;
    }

    /**
     * Ids that are not known, or that several devices of the host share (the GUIDs of ports without numbers, a MAC on a
     * bond and on its members), give way to {@code osName@hostname}.
     */
    private static List<Device> withUniqueIds(List<Device> devices) {
        Map<String, Integer> uses = new HashMap<>();
        Map<String, Integer> ports = new HashMap<>();
        for (Device device : devices) {
            ports.merge(device.osName(), 1, Integer::sum);
            if (device.deviceId() != null) {
                uses.merge(device.deviceId(), 1, Integer::sum);
            }
        }
        List<Device> unique = new ArrayList<>();
        for (Device device : devices) {
            if (device.deviceId() != null && uses.getOrDefault(device.deviceId(), 0) == 1) {
                unique.add(device);
            } else {
                boolean several = ports.getOrDefault(device.osName(), 0) > 1;
                String id = device.osName() + "@" + device.hostname() + (several ? "#" + device.port() : "");
                unique.add(DeviceBuilder.builder(device).deviceId(id).build());
            }
        }
        return unique;
    }
}
