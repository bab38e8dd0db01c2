/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import java.util.List;
import java.util.Set;

/**
 * Which fields of a device's {@code spec} come from a file, so that the last good value of just these stays when the
 * file cannot be read.
 */
final class AffectedFields {

    private AffectedFields() {}

    /** @param file path below the host's root, as in a read error */
    static Set<String> of(String file) {
        String[] parts = file.split("/");
        String name = parts[parts.length - 1];
        String directory = parts.length < 2 ? "" : parts[parts.length - 2];
        if (file.startsWith("/proc/sys/kernel/") || file.startsWith("/etc/")) {
            return Set.of("hostname", "deviceId");
        }
        if (file.startsWith("/proc/")) {
            return Set.of("ipAddresses", "role");
        }
        if (file.startsWith("/sys/devices/system/node")) {
            return Set.of("distances");
        }
        if (file.startsWith("/sys/bus/pci")) {
            return Set.of("accelerators");
        }
        if (file.equals("/sys/class/net")) {
            return Set.of(
                    "netdev",
                    "macAddress",
                    "ipAddresses",
                    "mtuBytes",
                    "speedBitsPerSecond",
                    "role",
                    "family",
                    "function",
                    "portGuid");
        }
        if (directory.equals("gids") || name.equals("gids")) {
            return Set.of("gids", "portGuid", "netdev", "family");
        }
        if (directory.equals("ndevs") || name.equals("ndevs")) {
            return Set.of("netdev", "macAddress", "ipAddresses", "mtuBytes", "role", "function");
        }
        if (directory.equals("bonding") || directory.equals("bonding_slave")) {
            return Set.of("deviceId", "numaNode", "distances");
        }
        return Set.copyOf(ofAttribute(name));
    }

    private static List<String> ofAttribute(String name) {
        return switch (name) {
            case "state", "operstate", "carrier" -> List.of("state");
            case "phys_state" -> List.of("physicalState");
            case "rate" -> List.of("speedBitsPerSecond", "width");
            case "speed" -> List.of("speedBitsPerSecond");
            case "lid" -> List.of("lid", "family");
            case "link_layer" -> List.of("linkLayer", "family", "portGuid", "role");
            case "node_type", "type" -> List.of("family", "linkLayer", "portGuid", "role");
            case "node_guid" -> List.of("nodeGuid", "deviceId");
            case "sys_image_guid" -> List.of("systemImageGuid", "deviceId", "card");
            case "hca_type" -> List.of("model", "family");
            case "board_id" -> List.of("board");
            case "fw_ver" -> List.of("firmware");
            case "mtu" -> List.of("mtuBytes");
            case "address" -> List.of("macAddress", "deviceId", "portGuid", "netdev", "role");
            case "vendor", "device" -> List.of("pci", "vendor", "family", "function", "role", "accelerators");
            case "class" -> List.of("pci", "family", "accelerators");
            case "numa_node" -> List.of("numaNode", "distances", "accelerators");
            case "dev_port", "dev_id" -> List.of("netdev", "macAddress", "ipAddresses", "mtuBytes", "role");
            default -> List.of();
        };
    }
}
