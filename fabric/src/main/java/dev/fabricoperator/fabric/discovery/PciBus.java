/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import dev.fabricoperator.fabric.device.AcceleratorPath;
import dev.fabricoperator.fabric.device.PciFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The PCI tree as paths below {@code /sys/devices} show it: {@code pci0000:80/0000:80:02.2/0000:82:00.0}.
 *
 * @see "Linux Documentation/ABI/testing/sysfs-bus-pci"
 */
final class PciBus {

    private static final Pattern ADDRESS = Pattern.compile("[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]");
    private static final Pattern HOST_BRIDGE = Pattern.compile("pci[0-9a-f]{4,8}:[0-9a-f]{2}");

    /** Display controllers of these are accelerators; those of a BMC or of a hypervisor are not. */
    private static final Set<String> ACCELERATOR_VENDORS = Set.of("10de", "1002", "8086", "1da3");

    /** The address that PCI reads vital product data by has 15 bits. */
    private static final int MAXIMUM_VPD_BYTES = 1 << 15;

    private PciBus() {}

    /**
     * The PCI function that a device belongs to: the last one on its path. A device on another bus that hangs on a PCI
     * function, such as a USB network adapter, belongs to none.
     *
     * @param devicePath real path below {@code /sys/devices}
     * @return the function's path, or null
     */
    static @Nullable String functionOf(String devicePath) {
        String[] parts = devicePath.split("/");
        for (int i = parts.length - 1; i >= 0; i--) {
            if (ADDRESS.matcher(parts[i]).matches()) {
                return String.join("/", List.of(parts).subList(0, i + 1));
            }
            if (parts[i].matches("usb[0-9]+|domain[0-9]+|ieee1394|pcmcia.*")) {
                return null;
            }
        }
        return null;
    }

    static String address(String functionPath) {
        return functionPath.substring(functionPath.lastIndexOf('/') + 1);
    }

    /** The slot: the address without the function number. */
    static String slot(String functionPath) {
        String address = address(functionPath);
        return address.substring(0, address.lastIndexOf('.'));
    }

    static PciFunction read(AttributeReader reader, String functionPath) {
        return new PciFunction(
                address(functionPath),
                reader.required(functionPath + "/vendor", SysfsValues::pciId),
                reader.required(functionPath + "/device", SysfsValues::pciId),
                reader.required(functionPath + "/class", SysfsValues::pciClass));
    }

    /** Path of the physical function behind a virtual one; null where the device is no virtual function. */
    static @Nullable String physicalFunction(HostTree tree, String functionPath) {
        return tree.realPath(functionPath + "/physfn");
    }

    /**
     * Whether a bus device is a part of a PCI function, below which it is: a sub-function on the auxiliary bus, or a mediated
     * device, which goes by a UUID.
     *
     * <p>Source: Documentation/driver-api/vfio-mediated-device.rst
     */
    static boolean isSubFunction(HostTree tree, String devicePath) {
        return devicePath.matches(".*/([a-z0-9_]+\\.sf\\.[0-9]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})")
                || tree.exists(devicePath + "/sfnum");
    }

    /** What the vendor wrote into the card; up to 32 KiB, of which a card uses some hundred bytes. Root's to read. */
    static HostTree.Content vitalProductData(HostTree tree, String functionPath) {
        return tree.readBinary(functionPath + "/vpd", MAXIMUM_VPD_BYTES);
    }

    /** A GPU or another accelerator on the PCI bus. */
    record AcceleratorFunction(
            String path, PciFunction function, @Nullable Integer numaNode) {}

    /**
     * Every accelerator of the host, by address: 3D controllers and processing accelerators, and display controllers of
     * vendors that make GPUs.
     */
    static List<AcceleratorFunction> accelerators(AttributeReader reader) {
        List<AcceleratorFunction> found = new ArrayList<>();
        for (String name : reader.names("/sys/bus/pci/devices")) {
            String path = reader.tree().realPath("/sys/bus/pci/devices/" + name);
            if (path == null || !ADDRESS.matcher(name).matches()) {
                continue;
            }
            String code = reader.parsed(path + "/class", SysfsValues::pciClass);
            if (code == null || !(code.startsWith("03") || code.equals("1200"))) {
                continue;
            }
            PciFunction function = read(reader, path);
            if (isAccelerator(function)) {
                Integer numaNode = reader.parsed(path + "/numa_node", SysfsValues::numaNode);
                found.add(new AcceleratorFunction(path, function, numaNode));
            }
        }
        return found;
    }

    private static boolean isAccelerator(PciFunction function) {
        String code = function.classCode();
        String vendor = function.vendorId();
        if (code == null || vendor == null) {
            return false;
        }
        return switch (code) {
            case "1200" -> true;
            case "0302", "0380" -> ACCELERATOR_VENDORS.contains(vendor);
            // Integrated graphics of a CPU answer to 8086 here.
            case "0300" -> vendor.equals("10de") || vendor.equals("1002");
            default -> false;
        };
    }

    /**
     * The way between two PCI functions, by the bridges between them.
     *
     * <p>Functions that meet below the host bridge share PCI bridges: one switch has an upstream and a downstream port,
     * so that at most one bridge lies between each of them and the meeting point. NUMA nodes decide between host
     * bridges; where a node is unknown the longer way is assumed, unless the host has only one.
     */
    static AcceleratorPath path(
            String one, @Nullable Integer oneNode, String other, @Nullable Integer otherNode, int nodesOfHost) {
        List<String> first = chain(one);
        List<String> second = chain(other);
        int common = 0;
        while (common < first.size()
                && common < second.size()
                && first.get(common).equals(second.get(common))) {
            common++;
        }
        if (common >= 2) {
            return Math.max(first.size(), second.size()) - common <= 2 ? AcceleratorPath.PIX : AcceleratorPath.PXB;
        }
        if (common == 1) {
            return AcceleratorPath.PHB;
        }
        boolean sameNode = nodesOfHost <= 1 || (oneNode != null && oneNode.equals(otherNode));
        return sameNode ? AcceleratorPath.NODE : AcceleratorPath.SYS;
    }

    /** Host bridge first, then every PCI function down to the device. */
    private static List<String> chain(String functionPath) {
        List<String> chain = new ArrayList<>();
        for (String part : functionPath.split("/")) {
            if (HOST_BRIDGE.matcher(part).matches() || ADDRESS.matcher(part).matches()) {
                chain.add(part);
            }
        }
        return chain;
    }
}
