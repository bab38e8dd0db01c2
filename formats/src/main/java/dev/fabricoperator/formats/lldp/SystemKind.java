/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.lldp;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Whether a system is a switch or a host.
 *
 * <p>The names of its ports are heard first, then what it says of itself. Capabilities tell little: a Kubernetes node routes
 * and bridges, and a switch whose forwarding is in hardware announces a mere station. Words that are not known here tell
 * nothing, and its cables are looked at: {@link KindsByCables}.
 */
enum SystemKind {
    SWITCH,
    HOST,
    UNKNOWN;

    /**
     * As Cumulus, SONiC, EOS, NX-OS, IOS, IOS XR, Junos, SR Linux, Onyx, Dell, HPE, Comware, VRP, Ruijie and RouterOS, where a
     * bridge may stand before it, call the ports of a switch.
     */
    private static final Pattern SWITCH_PORT = Pattern.compile("swp\\d.*|[Ee]thernet[-0-9].*|Eth?\\d.*|eth\\d+[-_/].*"
            + "|(xe|et|ge|te|fte|mge|ce|sfp|qsfp)-?\\d.*|[\\w-]*(GigE|gige|GigabitEthernet)[- ]?\\d.*|\\d+GE\\d.*"
            + "|(Te|Gi|Hu|Fo|Tw|Twe|Fi|Fa)\\d+/.*|\\d+(/[c0-9]+)+(:\\d+)?|\\d+:\\d+|e\\d+-\\d.*|sw\\d+p\\d.*"
            + "|(\\S+/)?(ether|sfp-sfpplus|q?sfp\\d+-|qsfpplus|combo)\\d.*");

    /** As some switches number their ports, and some sites those of their hosts. */
    private static final Pattern NUMBERED_PORT = Pattern.compile("\\d+|port-?\\d.*");

    /** As Linux calls the interfaces of a computer, and those of its VLANs. */
    private static final Pattern HOST_PORT =
            Pattern.compile("(?:" + "eth\\d+|en[opsxPdcbivV]\\w+|em\\d+|p\\d+p\\d+\\w*|ib\\w+|hsn\\d+"
                    + "|mlx\\w+|roce\\w+|rdma\\w+|rocep\\w+|gpu\\d+\\w*|nic\\d+|bond\\w+|lan\\d+|net\\d+|vmnic\\d+|efa\\d+"
                    + ")(\\.\\d+)?");

    /** A switch's port for its administrator, which forwards nothing. */
    private static final Pattern MANAGEMENT_PORT = Pattern.compile(
            "eth\\d|(mgmt|management)[- ]?(ethernet)? ?\\d*(/\\d+)*|ma\\d+|gigabitethernet0/0/management|fxp\\d|em\\d|me\\d|vme"
                    + "|re\\d+:\\S+|(m-gigabitethernet|meth)\\d[\\d/]*|mgmteth\\d\\S*|oob\\w*|bmc\\w*");

    /** Operating systems of switches. */
    private static final Pattern SWITCH_SYSTEM = Pattern.compile(
            "cumulus|sonic|eos version|nx-os|cisco (ios|nexus)|ios[- ]xe|ios[- ]xr|ios.*software|junos|srlinux|sr linux"
                    + "|onyx|mlnx-os|nvos|os10|dell.*networking os|ocnos|picos|comware|arubaos|aos-cx|procurve|fastiron|exos"
                    + "|versatile routing platform|\\bvrp\\b|\\bswitch\\b|routeros|fboss|dent(os)?\\b");

    /** Of hosts. */
    private static final Pattern HOST_SYSTEM = Pattern.compile(
            "ubuntu|debian|red hat|rhel|rocky|almalinux|centos|fedora|suse|sles|amazon linux|flatcar|talos|coreos|esxi|windows"
                    + "|freebsd|oracle linux|bottlerocket|photon|nixos|euleros");

    /** Of switches, and of computers too. */
    private static final Pattern SWITCH_MAKER =
            Pattern.compile("arista|cisco|juniper|huawei|extreme|\\bh3c\\b|edgecore|brocade|mellanox|mikrotik");

    static boolean isSwitchPort(String port) {
        return SWITCH_PORT.matcher(port).matches();
    }

    static boolean isManagementPort(String port) {
        return MANAGEMENT_PORT.matcher(port.toLowerCase(Locale.ROOT)).matches();
    }

    static boolean isNumberedPort(String port) {
        return NUMBERED_PORT.matcher(port).matches();
    }

    /**
     * What a system is by the names of its ports and by what it announces of itself; {@link #UNKNOWN} where no word of
     * that is known.
     *
     * @param description System Description TLV, empty for none
     * @param deviceTypes of LLDP-MED
     */
    static SystemKind of(
            Collection<String> ports, Set<String> capabilities, Set<String> deviceTypes, String description) {
        if (ports.stream().anyMatch(SystemKind::isSwitchPort) || deviceTypes.contains("Network Connectivity Device")) {
            return SWITCH;
        }
        // A switch's port for its administrator may be called as a host's.
        List<String> hostPorts =
                ports.stream().filter(p -> HOST_PORT.matcher(p).matches()).toList();
        if (hostPorts.stream().anyMatch(p -> !isManagementPort(p))) {
            return HOST;
        }
        String words = description.toLowerCase(Locale.ROOT);
        if (SWITCH_SYSTEM.matcher(words).find()) {
            return SWITCH;
        }
        if (!hostPorts.isEmpty()
                || HOST_SYSTEM.matcher(words).find()
                || deviceTypes.stream().anyMatch(t -> t.contains("Endpoint"))) {
            return HOST;
        }
        if (SWITCH_MAKER.matcher(words).find()) {
            return SWITCH;
        }
        return capabilities.contains("Station") ? HOST : UNKNOWN;
    }
}
