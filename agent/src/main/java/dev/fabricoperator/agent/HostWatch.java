/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import dev.fabricoperator.fabric.discovery.HostTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Tells cheaply whether a host may have changed: devices that come or go, the state of their links, and their LIDs.
 *
 * <p>Only files that the kernel answers from memory are read: {@code rate} or {@code speed} would ask the firmware of
 * every card at every poll. Everything else waits for the next whole look.
 */
final class HostWatch {

    private static final List<String> CLASSES = List.of("/sys/class/infiniband", "/sys/class/cxi", "/sys/class/net");
    private static final int MAXIMUM_BYTES = 256;

    private final HostTree tree;

    /** Whether an interface is one of a bus device or a bond, by name: pods come and go with their veth. */
    private Map<String, Boolean> relevant = Map.of();

    /** Ports by device: the kernel makes them before it shows the device, and keeps them as long as it. */
    private Map<String, List<String>> ports = Map.of();

    private List<String> last = List.of();

    HostWatch(HostTree tree) {
        this.tree = tree;
    }

    /** Whether anything differs from the previous call; true at the first. */
    boolean changed() {
        List<String> current = readStates();
        boolean changed = !current.equals(last);
        last = current;
        return changed;
    }

    private List<String> readStates() {
        List<String> values = new ArrayList<>();
        Map<String, Boolean> seen = new TreeMap<>();
        Map<String, List<String>> portsSeen = new TreeMap<>();
        for (String directory : CLASSES) {
            if (!(tree.list(directory) instanceof HostTree.Entries(List<String> names))) {
                values.add(directory + " is not there");
                continue;
            }
            for (String name : names) {
                String path = directory + "/" + name;
                if (directory.equals("/sys/class/net")) {
                    Boolean known = relevant.get(name);
                    boolean watched = known != null ? known : isDeviceOrBond(path);
                    seen.put(name, watched);
                    if (watched) {
                        values.add(path);
                        String state = read(path + "/operstate");
                        values.add(state);
                        // Drivers that do not keep the state leave the carrier to tell.
                        if (state.startsWith("unknown")) {
                            values.add(read(path + "/carrier"));
                        }
                    }
                } else {
                    values.add(path);
                    List<String> known = ports.get(path);
                    List<String> ofDevice = known != null ? known : portsOf(path);
                    if (!ofDevice.isEmpty()) {
                        portsSeen.put(path, ofDevice);
                    }
                    for (String port : ofDevice) {
                        values.add(read(port + "/state"));
                        values.add(read(port + "/phys_state"));
                        // Given by the subnet manager, also while the link stays as it is.
                        values.add(read(port + "/lid"));
                    }
                }
            }
        }
        relevant = seen;
        ports = portsSeen;
        return values;
    }

    private List<String> portsOf(String device) {
        return tree.list(device + "/ports") instanceof HostTree.Entries(List<String> names)
                ? names.stream().map(name -> device + "/ports/" + name).toList()
                : List.of();
    }

    private boolean isDeviceOrBond(String path) {
        @Nullable String target = tree.linkTarget(path);
        return target == null || !target.contains("/virtual/") || tree.exists(path + "/bonding");
    }

    private String read(String path) {
        return switch (tree.read(path, MAXIMUM_BYTES)) {
            case HostTree.Text(String value) -> value;
            case HostTree.Absent() -> "absent";
            case HostTree.Unreadable(String reason) -> reason;
        };
    }
}
