/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import dev.fabricoperator.fabric.discovery.HostTree;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * IPv4 addresses of the host's interfaces from the kernel itself, where the agent runs in the host's network namespace.
 *
 * <p>A host root may as well be a recording or another machine's: it is this host's only if it has the boot id that this
 * process sees, and its interfaces have the same indexes.
 */
final class LiveAddresses {

    private static final String BOOT_ID = "/proc/sys/kernel/random/boot_id";
    private static final int MAXIMUM_BYTES = 256;

    private LiveAddresses() {}

    /**
     * Addresses by interface name.
     *
     * @param root the host as the agent is told it
     * @param own the file system that this process lives in
     * @return null where {@code root} is not this host, or its interfaces are not those of this process
     */
    static @Nullable Map<String, List<String>> of(HostTree root, HostTree own) {
        String bootId = read(root, BOOT_ID);
        if (bootId == null || !bootId.equals(read(own, BOOT_ID))) {
            return null;
        }
        Map<String, List<String>> addresses = new TreeMap<>();
        try {
            for (NetworkInterface netdev : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                String index = read(root, "/sys/class/net/" + netdev.getName() + "/ifindex");
                if (index == null || !index.equals(Integer.toString(netdev.getIndex()))) {
                    return null;
                }
                List<String> ofInterface = new ArrayList<>();
                for (InetAddress address : Collections.list(netdev.getInetAddresses())) {
                    if (address instanceof Inet4Address && !address.isLoopbackAddress()) {
                        ofInterface.add(address.getHostAddress());
                    }
                }
                Collections.sort(ofInterface);
                addresses.put(netdev.getName(), ofInterface);
            }
        } catch (SocketException e) {
            // The files under /proc/net tell most of it.
            return null;
        }
        return addresses;
    }

    private static @Nullable String read(HostTree tree, String path) {
        return tree.read(path, MAXIMUM_BYTES) instanceof HostTree.Text(String value) ? value.strip() : null;
    }
}
