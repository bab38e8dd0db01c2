/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.sources.lldp;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Whether a system is a switch or a host.
 *
 * <p>The names of its ports are heard first. Capabilities come after them: a Kubernetes node routes and bridges, and a
 * switch whose forwarding is in hardware announces a mere station.
 */
enum SystemKind {
    SWITCH,
    HOST,
    UNKNOWN;

    /** As Cumulus, SONiC, EOS, NX-OS, IOS, Junos, SR Linux, Onyx, Dell and HPE call the ports of a switch. */
    private static final Pattern SWITCH_PORT = Pattern.compile("swp\\d.*|[Ee]thernet[-0-9].*|Eth\\d.*|eth\\d+[-_/].*"
            + "|(xe|et|ge|fte|mge|ce|sfp|qsfp)-?\\d.*|\\w*(GigE|gige|GigabitEthernet)[- ]?\\d.*"
            + "|(Te|Gi|Hu|Fo|Tw|Twe|Fi|Fa)\\d+/.*|\\d+(/[c0-9]+)*(:\\d+)?|e\\d+-\\d.*|port-?\\d.*|sw\\d+p\\d.*");

    /** As Linux calls the interfaces of a computer. */
    private static final Pattern HOST_PORT = Pattern.compile(
            "eth\\d+|en[opsxPdcbivV]\\w+|em\\d+|p\\d+p\\d+\\w*|ib\\w+|hsn\\d+"
                    + "|mlx\\w+|roce\\w+|rdma\\w+|rocep\\w+|gpu\\d+\\w*|nic\\d+|bond\\w+|lan\\d+|net\\d+|vmnic\\d+|efa\\d+");

    /** A switch's port for its administrator, which forwards nothing. */
    private static final Pattern MANAGEMENT_PORT = Pattern.compile(
            "eth\\d|mgmt-?\\d*|ma\\d+|(management|gigabitethernet0/0/management)\\d*(/\\d+)?|fxp\\d|em\\d|me\\d|vme|re\\d+:\\S+"
                    + "|oob\\w*|bmc\\w*");

    private static final Pattern SWITCH_SYSTEM = Pattern.compile(
            "cumulus|sonic|arista|eos version|nx-os|cisco|junos|juniper|srlinux|sr linux|onyx|mlnx-os|dell.*os10|enterprise sonic"
                    + "|ocnos|picos|comware|arubaos|fastiron|huawei|extreme|exos");
    private static final Pattern HOST_SYSTEM = Pattern.compile(
            "ubuntu|debian|red hat|rhel|rocky|almalinux|centos|fedora|suse|sles|amazon linux|flatcar|talos|coreos|esxi|windows");

    static boolean isSwitchPort(String port) {
        return SWITCH_PORT.matcher(port).matches();
    }

    static boolean isManagementPort(String port) {
        return MANAGEMENT_PORT.matcher(port.toLowerCase(Locale.ROOT)).matches();
    }

    /**
     * What a system is by the names of its ports and by what it announces of itself.
     *
     * @param description System Description TLV, empty for none
     * @param deviceTypes of LLDP-MED
     */
    static SystemKind of(
            Collection<String> ports, Set<String> capabilities, Set<String> deviceTypes, String description) {
        String words = description.toLowerCase(Locale.ROOT);
        if (ports.stream().anyMatch(SystemKind::isSwitchPort)
                || SWITCH_SYSTEM.matcher(words).find()
                || deviceTypes.contains("Network Connectivity Device")) {
            return SWITCH;
        }
        if (ports.stream().anyMatch(p -> HOST_PORT.matcher(p).matches())
                || HOST_SYSTEM.matcher(words).find()
                || deviceTypes.stream().anyMatch(t -> t.contains("Endpoint"))) {
            return HOST;
        }
        if (capabilities.contains("Station")) {
            return HOST;
        }
        return capabilities.contains("Bridge") || capabilities.contains("Router") ? SWITCH : UNKNOWN;
    }
}
