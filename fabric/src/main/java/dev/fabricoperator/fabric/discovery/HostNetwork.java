/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Addresses and default routes of the host's own network namespace.
 *
 * <p>{@code /proc/1/net} is that namespace also for a pod that mounts the host's {@code /proc};
 * {@code /proc/net} is the reader's.
 *
 * @see "Linux Documentation/filesystems/proc.rst; net/ipv4/fib_trie.c, net/ipv6/addrconf.c"
 */
final class HostNetwork {

    private static final List<String> DIRECTORIES = List.of("/proc/1/net", "/proc/net", "/proc/self/net");
    private static final int ROUTE_UP = 0x1;
    private static final int ROUTE_REJECT = 0x200;
    /** Temporary, optimistic or failed in duplicate detection, tentative: not addresses to tell anybody. */
    private static final int UNSTABLE_ADDRESS = 0x01 | 0x04 | 0x08 | 0x40;

    /** A directly connected IPv4 network; bits in host order. */
    private record Connected(String netdev, int network, int mask) {}

    private final boolean routesKnown;
    private final Set<String> defaultRouteInterfaces;
    private final Map<String, Set<String>> addresses;

    private HostNetwork(boolean routesKnown, Set<String> defaultRouteInterfaces, Map<String, Set<String>> addresses) {
        this.routesKnown = routesKnown;
        this.defaultRouteInterfaces = defaultRouteInterfaces;
        this.addresses = addresses;
    }

    static HostNetwork read(AttributeReader reader, DiscoveryOptions options) {
        String directory = null;
        for (String candidate : DIRECTORIES) {
            if (directory == null && reader.tree().exists(candidate + "/route")) {
                directory = candidate;
            }
        }
        Set<String> defaults = new TreeSet<>();
        List<Connected> connected = new ArrayList<>();
        Map<String, Set<String>> addresses = new TreeMap<>();
        if (directory != null) {
            readRoutes(reader.lines(directory + "/route"), defaults, connected);
            readIpv6Routes(reader.lines(directory + "/ipv6_route"), defaults);
            if (options.ipv4Addresses() == null) {
                readIpv4(reader.lines(directory + "/fib_trie"), connected, addresses);
            }
        }
        if (options.ipv4Addresses() != null) {
            options.ipv4Addresses().forEach((name, list) -> addresses.put(name, new LinkedHashSet<>(list)));
        }
        if (directory != null) {
            readIpv6(reader.lines(directory + "/if_inet6"), addresses);
        }
        return new HostNetwork(directory != null, defaults, addresses);
    }

    /** Whether the default routes are known, so that "no default route here" can be told from silence. */
    boolean routesKnown() {
        return routesKnown;
    }

    List<String> addresses(String netdev) {
        return List.copyOf(addresses.getOrDefault(netdev, Set.of()));
    }

    /**
     * Names of the interfaces that carry a default route or one of the given addresses, and of all that they are built
     * on. An interface on no PCI device, such as Hyper-V's synthetic one, is carried by the port that has its MAC.
     */
    Set<String> carriers(AttributeReader reader, List<NetInterface> all, Set<String> internalAddresses) {
        Deque<String> open = new ArrayDeque<>(defaultRouteInterfaces);
        addresses.forEach((name, list) -> {
            if (list.stream().anyMatch(internalAddresses::contains)) {
                open.add(name);
            }
        });
        Set<String> carriers = new TreeSet<>();
        while (!open.isEmpty()) {
            String name = open.remove();
            if (!carriers.add(name)) {
                continue;
            }
            for (NetInterface netdev : all) {
                if (netdev.name().equals(name) && netdev.kind() != NetInterface.Kind.Port) {
                    List<String> lowers = netdev.lowers(reader, all);
                    open.addAll(lowers.isEmpty() ? portsWithAddressOf(reader, netdev, all) : lowers);
                }
            }
        }
        return carriers;
    }

    private static Collection<String> portsWithAddressOf(
            AttributeReader reader, NetInterface netdev, List<NetInterface> all) {
        String address = netdev.address(reader);
        return address == null
                ? List.of()
                : all.stream()
                        .filter(other -> other.kind() == NetInterface.Kind.Port)
                        .filter(other -> address.equals(other.address(reader)))
                        .map(NetInterface::name)
                        .toList();
    }

    /** Columns: Iface Destination Gateway Flags RefCnt Use Metric Mask ...; addresses in network order as stored. */
    private static void readRoutes(List<String> lines, Set<String> defaults, List<Connected> connected) {
        for (String line : lines) {
            String[] columns = line.strip().split("\\s+");
            if (columns.length < 8 || columns[0].equals("Iface")) {
                continue;
            }
            Integer destination = hex(columns[1]);
            Integer gateway = hex(columns[2]);
            Integer flags = hex(columns[3]);
            Integer mask = hex(columns[7]);
            if (destination == null || gateway == null || flags == null || mask == null) {
                continue;
            }
            if ((flags & ROUTE_UP) == 0 || (flags & ROUTE_REJECT) != 0) {
                continue;
            }
            if (destination == 0 && mask == 0) {
                defaults.add(columns[0]);
            } else if (gateway == 0) {
                connected.add(new Connected(columns[0], Integer.reverseBytes(destination), Integer.reverseBytes(mask)));
            }
        }
    }

    /** Columns: destination, prefix length, source, prefix length, next hop, metric, refcnt, use, flags, device. */
    private static void readIpv6Routes(List<String> lines, Set<String> defaults) {
        for (String line : lines) {
            String[] columns = line.strip().split("\\s+");
            if (columns.length < 10 || !columns[0].matches("0{32}") || !columns[1].equals("00")) {
                continue;
            }
            Integer flags = hex(columns[8]);
            if (flags != null && (flags & ROUTE_UP) != 0 && (flags & ROUTE_REJECT) == 0 && !columns[9].equals("lo")) {
                defaults.add(columns[9]);
            }
        }
    }

    /**
     * Local addresses are the leaves {@code |-- a.b.c.d} followed by {@code /32 host LOCAL}. The file does not name
     * interfaces: the longest connected network that holds the address does, unless two interfaces share it.
     */
    private static void readIpv4(List<String> lines, List<Connected> connected, Map<String, Set<String>> addresses) {
        String leaf = null;
        for (String line : lines) {
            String text = line.strip();
            if (text.startsWith("|-- ")) {
                leaf = text.substring(4).strip();
            } else if (leaf != null && text.startsWith("/32 host LOCAL")) {
                Integer address = ipv4(leaf);
                String netdev = address == null ? null : interfaceOf(address, connected);
                if (netdev != null) {
                    addresses
                            .computeIfAbsent(netdev, n -> new LinkedHashSet<>())
                            .add(leaf);
                }
            }
        }
    }

    private static @Nullable String interfaceOf(int address, List<Connected> connected) {
        String best = null;
        int bestLength = -1;
        for (Connected network : connected) {
            if ((address & network.mask()) != network.network()) {
                continue;
            }
            int length = Integer.bitCount(network.mask());
            if (length > bestLength) {
                best = network.netdev();
                bestLength = length;
            } else if (length == bestLength && !network.netdev().equals(best)) {
                best = null;
            }
        }
        return best;
    }

    /** Columns: address, interface index, prefix length, scope, flags, interface. */
    private static void readIpv6(List<String> lines, Map<String, Set<String>> addresses) {
        for (String line : lines) {
            String[] columns = line.strip().split("\\s+");
            if (columns.length != 6 || !columns[0].matches("[0-9a-f]{32}") || !columns[3].equals("00")) {
                continue;
            }
            Integer flags = hex(columns[4]);
            if (flags != null && (flags & UNSTABLE_ADDRESS) == 0) {
                addresses
                        .computeIfAbsent(columns[5], n -> new LinkedHashSet<>())
                        .add(ipv6(columns[0]));
            }
        }
    }

    private static @Nullable Integer hex(String text) {
        return text.matches("[0-9A-Fa-f]{1,8}") ? (Integer) Integer.parseUnsignedInt(text, 16) : null;
    }

    private static @Nullable Integer ipv4(String text) {
        if (!text.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}")) {
            return null;
        }
        int address = 0;
        for (String part : text.split("\\.")) {
            address = address << 8 | Integer.parseInt(part) & 0xff;
        }
        return address;
    }

    /** 32 hex digits as RFC 5952 writes an address: no leading zeros, the longest run of zero groups as {@code ::}. */
    static String ipv6(String digits) {
        int[] groups = new int[8];
        for (int i = 0; i < 8; i++) {
            groups[i] = Integer.parseInt(digits.substring(4 * i, 4 * i + 4), 16);
        }
        int start = -1;
        int length = 1;
        for (int i = 0; i < 8; i++) {
            int end = i;
            while (end < 8 && groups[end] == 0) {
                end++;
            }
            if (end - i > length) {
                start = i;
                length = end - i;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            if (i == start) {
                text.append("::");
                i += length - 1;
            } else {
                if (i > 0 && text.charAt(text.length() - 1) != ':') {
                    text.append(':');
                }
                text.append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
    }
}
