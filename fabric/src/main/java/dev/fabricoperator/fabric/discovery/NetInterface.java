/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import dev.fabricoperator.fabric.device.PortState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A network interface of the host.
 *
 * @param path real path of its directory
 * @param devicePath real path of the bus device, null for a virtual interface
 * @param kind what it is, as far as that decides whether it is a device of its own
 * @see "Linux Documentation/ABI/testing/sysfs-class-net"
 */
record NetInterface(String name, String path, @Nullable String devicePath, Kind kind) {

    /** What stands behind an interface. */
    enum Kind {
        /** A port of a device on the PCI bus. */
        Port,
        /** Several interfaces bonded. */
        Bond,
        /** Port of the switch in a card: its other side is a virtual function, a sub-function, or the host of a DPU. */
        Representor,
        /** Bridge, VLAN, loopback, veth, tunnel, wireless, IPoIB child, or a device on another bus. */
        Other
    }

    static final int ETHERNET = 1;
    static final int INFINIBAND = 32;
    static final int LOOPBACK = 772;

    /** Every interface, sorted by name. */
    static List<NetInterface> all(AttributeReader reader) {
        HostTree tree = reader.tree();
        List<NetInterface> all = new ArrayList<>();
        for (String name : reader.names("/sys/class/net")) {
            String path = tree.realPath("/sys/class/net/" + name);
            // bonding_masters is a file among the interfaces; interface names have at most 15 characters.
            if (path == null || name.length() > 15 || !tree.exists(path + "/address")) {
                continue;
            }
            String devicePath = DiscoveredDevice.devicePath(tree, path, "net");
            all.add(new NetInterface(name, path, devicePath, kind(tree, path, devicePath)));
        }
        return all;
    }

    private static Kind kind(HostTree tree, String path, @Nullable String devicePath) {
        if (tree.exists(path + "/bonding")) {
            return Kind.Bond;
        }
        if (devicePath == null || PciBus.functionOf(devicePath) == null) {
            return Kind.Other;
        }
        if (tree.exists(path + "/wireless")
                || tree.exists(path + "/phy80211")
                || tree.exists(path + "/bridge")
                || isChild(tree, path)) {
            return Kind.Other;
        }
        return isRepresentor(tree, path) ? Kind.Representor : Kind.Port;
    }

    /** In switchdev mode a PCI function has an interface for each of its virtual functions beside its own. */
    private static boolean isRepresentor(HostTree tree, String path) {
        String name = raw(tree, path + "/phys_port_name");
        return name != null && name.matches("(c[0-9]+)?pf[0-9]+((vf|sf)[0-9]+|hpf)?");
    }

    /** Whether a representor's other side is the host that a DPU is in. */
    boolean representsHost(HostTree tree) {
        String name = raw(tree, path + "/phys_port_name");
        return kind == Kind.Representor && name != null && name.matches("(c[0-9]+)?pf[0-9]+(hpf)?");
    }

    /** Whether the driver names it as a port of the card: "p0". */
    boolean isNamedAsUplink(HostTree tree) {
        String name = raw(tree, path + "/phys_port_name");
        return name != null && name.matches("p[0-9]+.*");
    }

    /** The switch in the card that the interface is a port of, which all functions of the card share; null without. */
    @Nullable
    String switchId(HostTree tree) {
        return raw(tree, path + "/phys_switch_id");
    }

    boolean isLoopback(HostTree tree) {
        return name.equals("lo") || Integer.toString(LOOPBACK).equals(raw(tree, path + "/type"));
    }

    /** Whether a GUID was made of the interface's address, as software makes them; RFC 4291, appendix A. */
    boolean madeGuid(HostTree tree, String guid) {
        String address = raw(tree, path + "/address");
        if (address == null || !address.matches("[0-9a-f]{2}(:[0-9a-f]{2}){5}")) {
            return false;
        }
        String digits = address.replace(":", "");
        int universal = Integer.parseInt(digits.substring(0, 2), 16) ^ 2;
        return guid.equals(
                String.format(Locale.ROOT, "%02x", universal) + digits.substring(2, 6) + "fffe" + digits.substring(6));
    }

    /** An IPoIB interface of another partition shares the device of its parent, and links to it. */
    private static boolean isChild(HostTree tree, String path) {
        String index = raw(tree, path + "/ifindex");
        String link = raw(tree, path + "/iflink");
        return index != null
                && link != null
                && !index.equals(link)
                && raw(tree, path + "/type") instanceof String type
                && type.equals(Integer.toString(INFINIBAND));
    }

    /** A value that only helps to tell kinds apart: what cannot be read does not help, and is reported elsewhere. */
    private static @Nullable String raw(HostTree tree, String path) {
        return tree.read(path, AttributeReader.MAXIMUM_BYTES) instanceof HostTree.Text(String value) && !value.isBlank()
                ? value.strip()
                : null;
    }

    /** Real path of the PCI function, null for an interface on none. */
    @Nullable
    String functionPath() {
        return devicePath == null ? null : PciBus.functionOf(devicePath);
    }

    @Nullable
    Integer type(AttributeReader reader) {
        return reader.required(path + "/type", SysfsValues::decimal);
    }

    /** Link-layer address in use: of 6 bytes, or of 20 with IP over InfiniBand. */
    @Nullable
    String address(AttributeReader reader) {
        return reader.required(path + "/address", SysfsValues::hardwareAddress);
    }

    /** Address that the hardware came with, where a bond has given its members another one. */
    @Nullable
    String permanentAddress(AttributeReader reader) {
        String permanent = reader.parsed(path + "/bonding_slave/perm_hwaddr", SysfsValues::hardwareAddress);
        return permanent != null ? permanent : address(reader);
    }

    @Nullable
    Long mtuBytes(AttributeReader reader) {
        return reader.required(path + "/mtu", SysfsValues::mtu);
    }

    @Nullable
    Long speedBitsPerSecond(AttributeReader reader) {
        return reader.parsed(path + "/speed", SysfsValues::interfaceSpeed);
    }

    /** The operational state of RFC 2863; drivers that do not keep it leave the carrier to tell. */
    PortState state(AttributeReader reader) {
        String operational = reader.text(path + "/operstate");
        if (operational == null) {
            return PortState.Unknown;
        }
        return switch (operational) {
            case "up" -> PortState.Active;
            case "down", "lowerlayerdown", "notpresent" -> PortState.Down;
            case "dormant" -> PortState.Init;
            case "testing" -> PortState.Unknown;
            case "unknown" -> {
                Integer carrier = reader.parsed(path + "/carrier", SysfsValues::decimal);
                yield carrier == null ? PortState.Unknown : carrier == 1 ? PortState.Active : PortState.Down;
            }
            default -> {
                reader.fail(path + "/operstate", "not a state: " + SysfsValues.quoted(operational));
                yield PortState.Unknown;
            }
        };
    }

    /** Which port of its device the interface is, from 0. Old drivers tell by dev_id what dev_port is for. */
    int portIndex(AttributeReader reader) {
        Integer port = reader.parsed(path + "/dev_port", SysfsValues::decimal);
        if (port != null && port > 0) {
            return port;
        }
        Integer id = reader.parsed(path + "/dev_id", SysfsValues::hex);
        return id != null ? id : port != null ? port : 0;
    }

    /** Interfaces that this one is built on: members of a bond or bridge, the device under a VLAN or macvlan. */
    List<String> lowers(AttributeReader reader, List<NetInterface> all) {
        List<String> lowers = new ArrayList<>();
        for (String entry : reader.names(path)) {
            if (entry.startsWith("lower_")) {
                lowers.add(entry.substring("lower_".length()));
            }
        }
        lowers.addAll(members(reader));
        lowers.addAll(reader.names(path + "/brif"));
        String link = raw(reader.tree(), path + "/iflink");
        String index = raw(reader.tree(), path + "/ifindex");
        if (lowers.isEmpty() && link != null && !link.equals(index)) {
            all.stream()
                    .filter(other -> link.equals(raw(reader.tree(), other.path() + "/ifindex")))
                    .map(NetInterface::name)
                    .forEach(lowers::add);
        }
        return lowers.stream().distinct().sorted().toList();
    }

    /** Members of a bond. */
    List<String> members(AttributeReader reader) {
        String members = reader.text(path + "/bonding/slaves");
        return members == null ? List.of() : List.of(members.split("\\s+"));
    }
}
