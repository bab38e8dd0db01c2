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
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Fabric devices without an RDMA class: Slingshot's {@code /sys/class/cxi} with its Ethernet interface, and network
 * interfaces of PCI devices; then bonds of any of them.
 */
final class NetClass {

    private static final String CXI = "/sys/class/cxi";

    private final AttributeReader host;
    private final List<NetInterface> interfaces;

    NetClass(AttributeReader host, List<NetInterface> interfaces) {
        this.host = host;
        this.interfaces = interfaces;
    }

    /**
     * Every such device.
     *
     * @param rdma what was found before: their interfaces are the same objects, and are left out here
     */
    List<DiscoveredDevice> discovered(List<DiscoveredDevice> rdma) {
        List<DiscoveredDevice> found = new ArrayList<>();
        Set<String> taken = new HashSet<>();
        Set<String> rdmaPaths = new HashSet<>();
        for (DiscoveredDevice discovered : rdma) {
            // Software shares the interface, which stays a device of its own.
            if (discovered.netdev() != null && discovered.builder().function() != Function.Software) {
                taken.add(discovered.netdev().name());
            }
            if (discovered.devicePath() != null) {
                rdmaPaths.add(discovered.devicePath());
            }
        }
        slingshot(found, taken);
        for (NetInterface netdev : interfaces) {
            if (netdev.kind() == NetInterface.Kind.Port && !taken.contains(netdev.name())) {
                DiscoveredDevice discovered = port(netdev, rdmaPaths);
                if (discovered != null) {
                    found.add(discovered);
                }
            }
        }
        Set<String> published = new HashSet<>(taken);
        found.stream()
                .map(DiscoveredDevice::netdev)
                .filter(Objects::nonNull)
                .forEach(netdev -> published.add(netdev.name()));
        for (NetInterface netdev : interfaces) {
            if (netdev.kind() == NetInterface.Kind.Bond
                    && !taken.contains(netdev.name())
                    && netdev.members(host).stream().anyMatch(published::contains)) {
                found.add(bond(netdev));
            }
        }
        return found;
    }

    private void slingshot(List<DiscoveredDevice> found, Set<String> taken) {
        for (String name : host.names(CXI)) {
            String path = host.tree().realPath(CXI + "/" + name);
            if (path == null) {
                continue;
            }
            if (!name.matches("[!-~]{1,63}")) {
                host.fail(CXI, "not a device name: " + SysfsValues.quoted(name));
                continue;
            }
            String devicePath = DiscoveredDevice.devicePath(host.tree(), path, "cxi");
            String function = devicePath == null ? null : PciBus.functionOf(devicePath);
            NetInterface netdev = interfaces.stream()
                    .filter(n -> n.kind() == NetInterface.Kind.Port)
                    .filter(n -> function != null && function.equals(n.functionPath()))
                    .findFirst()
                    .orElse(null);
            AttributeReader reader = new AttributeReader(host.tree());
            DeviceBuilder builder = network(name, Family.Slingshot, Function.Physical)
                    .driver(DiscoveredDevice.driver(host.tree(), devicePath))
                    .state(PortState.Unknown);
            if (netdev != null) {
                taken.add(netdev.name());
                builder.state(netdev.state(reader)).linkLayer("Ethernet");
            }
            found.add(new DiscoveredDevice(builder, reader, devicePath, netdev));
        }
    }

    /** An interface on a PCI device; null for one that is neither Ethernet nor a lone InfiniBand port. */
    private @Nullable DiscoveredDevice port(NetInterface netdev, Set<String> rdmaPaths) {
        AttributeReader reader = new AttributeReader(host.tree());
        Integer type = netdev.type(reader);
        boolean infiniBand = type != null && type == NetInterface.INFINIBAND;
        if (type != null && type != NetInterface.ETHERNET && !infiniBand) {
            return null;
        }
        if (infiniBand && rdmaPaths.contains(netdev.devicePath())) {
            return null;
        }
        String function = netdev.functionPath();
        AttributeReader silent = new AttributeReader(host.tree());
        String vendor = silent.parsed(function + "/vendor", SysfsValues::pciId);
        String device = silent.parsed(function + "/device", SysfsValues::pciId);
        Family family = infiniBand
                ? PciVendors.isOmniPath(vendor, device) ? Family.OmniPath : Family.InfiniBand
                : PciVendors.isSlingshot(vendor, device) ? Family.Slingshot : Family.Ethernet;
        DeviceBuilder builder = network(netdev.name(), family, Function.Physical)
                .driver(DiscoveredDevice.driver(host.tree(), netdev.devicePath()))
                .linkLayer(infiniBand ? "InfiniBand" : "Ethernet")
                .state(netdev.state(reader));
        return new DiscoveredDevice(builder, reader, netdev.devicePath(), netdev);
    }

    private DiscoveredDevice bond(NetInterface netdev) {
        AttributeReader reader = new AttributeReader(host.tree());
        Integer type = netdev.type(reader);
        boolean infiniBand = type != null && type == NetInterface.INFINIBAND;
        DeviceBuilder builder = network(netdev.name(), infiniBand ? Family.InfiniBand : Family.Ethernet, Function.Bond)
                .linkLayer(infiniBand ? "InfiniBand" : "Ethernet")
                .state(netdev.state(reader));
        return new DiscoveredDevice(builder, reader, null, netdev);
    }

    private static DeviceBuilder network(String osName, Family family, Function function) {
        return DeviceBuilder.builder()
                .osName(osName)
                .port(0)
                .type(DeviceType.Network)
                .family(family)
                .function(function);
    }
}
