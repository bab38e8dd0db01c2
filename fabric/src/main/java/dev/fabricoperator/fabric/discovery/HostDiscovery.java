/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import dev.fabricoperator.fabric.device.Device;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the fabric devices of a host.
 *
 * <p>Devices come from {@code /sys/class/infiniband} (every port), {@code /sys/class/cxi} and {@code /sys/class/net} (on
 * PCI, and bonds of those); an RDMA device and its network interface are one device, unless the kernel does the RDMA
 * ({@link dev.fabricoperator.fabric.device.Function#Software}). Bridges, VLANs, loopback, veth, tunnels, representors and
 * their RDMA ports, RDMA devices that carry management packets only, wireless and USB adapters are not devices of a fabric.
 * Accelerators are, where the caller knows that NVLink joins them.
 *
 * <p>Cost: a few thousand small reads on a large host, tens of milliseconds; memory for the devices alone.
 */
public final class HostDiscovery {

    /** Names a host whose files and caller do not name it. */
    private static final String UNNAMED = "localhost";

    private HostDiscovery() {}

    /** As {@link #discover(HostTree, DiscoveryOptions)}, where nothing is known but the files. */
    public static DiscoveryResult discover(HostTree tree) {
        return discover(tree, DiscoveryOptions.NONE);
    }

    /** Looks at the host once. Never fails: what could not be read is named in the result and its devices. */
    public static DiscoveryResult discover(HostTree tree, DiscoveryOptions options) {
        AttributeReader classes = new AttributeReader(tree);
        AttributeReader host = new AttributeReader(tree);
        if (!tree.exists("/sys")) {
            classes.fail("/sys", "absent: not a host's root");
        }
        String hostname = hostname(host, options);
        List<NetInterface> interfaces = NetInterface.all(classes);
        List<DiscoveredDevice> found = new ArrayList<>(new RdmaClass(classes, interfaces).discovered());
        found.addAll(new NetClass(classes, interfaces).discovered(List.copyOf(found)));
        Enrichment enrichment = new Enrichment(host, interfaces, options, hostname == null ? UNNAMED : hostname);
        if (options.nvlink()) {
            found.addAll(enrichment.nvlinkDevices());
        }
        List<Device> devices = enrichment.devices(found).stream()
                .sorted(Comparator.comparing(Device::osName).thenComparingInt(Device::port))
                .toList();
        boolean complete = !classes.failed() && (!options.nvlink() || enrichment.acceleratorsKnown());
        boolean errorFree = complete
                && !host.failed()
                && found.stream().noneMatch(s -> s.reader().failed());
        classes.addAll(host);
        return new DiscoveryResult(hostname, devices, complete, errorFree, classes.errors());
    }

    /** The kernel's name for the host, which in a pod is the host's only with hostNetwork, else the configured one. */
    private static @Nullable String hostname(AttributeReader host, DiscoveryOptions options) {
        for (String file : List.of("/proc/sys/kernel/hostname", "/etc/hostname")) {
            String name = host.text(file);
            if (name != null && !name.equals("(none)")) {
                return name;
            }
        }
        return options.hostname();
    }
}
