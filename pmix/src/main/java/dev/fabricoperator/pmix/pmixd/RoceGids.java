/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts.Interface;
import dev.fabricoperator.pmix.pmixd.launcher.LauncherFacts.RdmaPort;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which entry of a RoCE port's GID table is the pod's. Pods that share a device find the entries of the host and of all other pods there, whose
 * interfaces may have the names of the pod's own: an entry is the pod's where it is the address of one of its interfaces. A table is read once, which takes a file for each entry.
 *
 * @see "Documentation/ABI/stable/sysfs-class-infiniband, gids and gid_attrs"
 */
final class RoceGids {
    /** More than any card's table has. */
    private static final int MOST = 1024;

    private static final String ROUTABLE = "RoCE v2";

    private static final Comparator<Entry> BEST_FIRST = Comparator.comparing(
                    (Entry entry) -> !entry.type().equals(ROUTABLE))
            .thenComparing(entry -> !(entry.address() instanceof Inet4Address))
            .thenComparing(Entry::index);

    /**
     * @param type as the kernel writes it, empty if unknown
     * @param netdev that the kernel says it is of, empty if unknown
     */
    record Entry(int index, String type, String netdev, InetAddress address) {}

    private final Path ports;
    private final Set<InetAddress> addresses = new HashSet<>();
    private final Map<RdmaPort, List<Entry>> known = new HashMap<>();

    /** @param sys where sysfs is */
    RoceGids(Path sys, List<Interface> interfaces) {
        ports = sys.resolve("class/infiniband");
        for (Interface each : interfaces) {
            each.addresses().stream()
                    .map(RoceGids::address)
                    .filter(address -> address != null)
                    .forEach(addresses::add);
        }
    }

    /** RoCE v2 by IPv4 before other ones, of equals the first; {@code null} for a port that is not Ethernet's, or of which no entry is the pod's. */
    @Nullable
    Entry of(RdmaPort port) {
        return own(port).stream().min(BEST_FIRST).orElse(null);
    }

    /** {@link Entry#index()} of {@link #of}, which is RoCE v2 and the only netdev's: libraries that are told one look no further. */
    @Nullable
    Integer indexForLibraries(RdmaPort port) {
        List<Entry> own = own(port).stream()
                .filter(entry -> entry.type().equals(ROUTABLE))
                .toList();
        return own.stream().map(Entry::netdev).distinct().count() == 1
                ? own.stream().min(BEST_FIRST).map(Entry::index).orElse(null)
                : null;
    }

    private List<Entry> own(RdmaPort port) {
        return known.computeIfAbsent(port, this::read);
    }

    private List<Entry> read(RdmaPort port) {
        Path directory = ports.resolve(port.device()).resolve("ports/" + port.port());
        if (!"Ethernet".equals(read(directory.resolve("link_layer")))) {
            return List.of();
        }
        List<Entry> own = new ArrayList<>();
        for (int index = 0; index < MOST; index++) {
            String gid = read(directory.resolve("gids/" + index));
            if (gid == null) {
                break;
            }
            InetAddress address = address(gid);
            if (address != null && addresses.contains(address)) {
                Path attributes = directory.resolve("gid_attrs");
                String type = read(attributes.resolve("types/" + index));
                String netdev = read(attributes.resolve("ndevs/" + index));
                own.add(new Entry(
                        index, Objects.requireNonNullElse(type, ""), Objects.requireNonNullElse(netdev, ""), address));
            }
        }
        return own;
    }

    /** Only literal addresses come here; none is looked up. */
    static @Nullable InetAddress address(String text) {
        try {
            return InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** {@code null} for what is not there or cannot be read: it is then unknown. */
    static @Nullable String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.US_ASCII).strip();
        } catch (IOException e) {
            return null;
        }
    }
}
