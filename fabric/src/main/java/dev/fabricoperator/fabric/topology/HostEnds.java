/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

import dev.fabricoperator.fabric.cabling.NodeType;
import dev.fabricoperator.fabric.cabling.NvlinkClique;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Switch;
import dev.fabricoperator.fabric.cabling.SwitchBuilder;
import dev.fabricoperator.fabric.cabling.SwitchPort;
import dev.fabricoperator.fabric.cabling.SwitchPortBuilder;
import dev.fabricoperator.fabric.device.Family;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the device at the end of a cable whose source names a host, and not the device as agents do.
 *
 * <p>LLDP says {@code host/interface}, or the MAC of a card that speaks for itself: that is the device with this network
 * interface. Slurm says {@code host/}: these are the host's devices without another cable, of the first family of {@link
 * #MADE_FOR_FABRICS} that the host has, and {@code host/*} those of all these families. Cliques of NVLink say {@code host/nvlink}: these are the host's accelerators. A host goes by its name in any case, with or without its domain, or by its node's
 * name. A host or interface that no agent knows stays as it is.
 *
 * <p>Cost: one look at every cable; where there is no such end nothing more.
 */
public final class HostEnds {
    /** What follows the host's name in an end that stands for its devices of all families. */
    public static final String ALL = "*";

    /** The order in which families stand for a host in a tree of hosts. */
    private static final List<Family> MADE_FOR_FABRICS = List.of(
            Family.InfiniBand,
            Family.OmniPath,
            Family.Slingshot,
            Family.EFA,
            Family.RoCE,
            Family.iWARP,
            Family.Ethernet);

    private static final Set<String> WHOLE = Set.of("", ALL, NvlinkClique.ACCELERATORS);

    /**
     * A device as its host knows it.
     *
     * @param end as cables bear it
     * @param fabricPort whether it may be one that a host as a whole stands for: physical, and not its administrator's
     */
    public record HostDevice(
            PortPeer end,
            String hostname,
            String nodeName,
            String osName,
            @Nullable String netdev,
            @Nullable String macAddress,
            Family family,
            boolean fabricPort) {}

    private final Map<String, List<HostDevice>> byHost = new HashMap<>();
    private final Map<String, HostDevice> byMac = new HashMap<>();
    private final Set<PortPeer> ends = new HashSet<>();
    private final Set<String> ids = new HashSet<>();

    private HostEnds(Collection<HostDevice> devices) {
        Map<String, Set<String>> nodesOfShortName = new HashMap<>();
        for (HostDevice device : devices) {
            ends.add(device.end());
            ids.add(device.end().id());
            nodesOfShortName
                    .computeIfAbsent(shortName(device.hostname()), n -> new HashSet<>(2))
                    .add(device.nodeName());
            nodesOfShortName
                    .computeIfAbsent(shortName(device.nodeName()), n -> new HashSet<>(2))
                    .add(device.nodeName());
            if (device.macAddress() != null && device.fabricPort()) {
                byMac.putIfAbsent(device.macAddress().toLowerCase(Locale.ROOT), device);
            }
        }
        for (HostDevice device : devices) {
            Set<String> names = new HashSet<>();
            names.add(device.hostname().toLowerCase(Locale.ROOT));
            names.add(device.nodeName().toLowerCase(Locale.ROOT));
            for (String name : List.of(shortName(device.hostname()), shortName(device.nodeName()))) {
                if (nodesOfShortName.getOrDefault(name, Set.of()).size() == 1) {
                    names.add(name);
                }
            }
            names.forEach(
                    name -> byHost.computeIfAbsent(name, n -> new ArrayList<>()).add(device));
        }
    }

    /** Whether an end may be one that has to be looked for: no node GUID has such characters. */
    public static boolean areIn(Collection<Switch> switches) {
        for (Switch node : switches) {
            for (SwitchPort port : node.ports()) {
                if (port.peer() != null && isHostEnd(port.peer().id())) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isHostEnd(String id) {
        return id.indexOf('/') > 0 || id.indexOf(':') > 0;
    }

    /** The same switches, by id, with the devices' own ends where they were found. */
    public static SortedMap<String, Switch> found(SortedMap<String, Switch> switches, Collection<HostDevice> devices) {
        HostEnds of = new HostEnds(devices);
        Set<PortPeer> placed = new HashSet<>();
        SortedMap<String, Switch> named = new TreeMap<>();
        switches.forEach((id, node) -> named.put(id, of.interfaces(node, switches, placed)));
        SortedMap<String, Switch> whole = new TreeMap<>();
        named.forEach((id, node) -> whole.put(id, of.hosts(node, placed)));
        return whole;
    }

    private Switch interfaces(Switch node, SortedMap<String, Switch> switches, Set<PortPeer> placed) {
        List<SwitchPort> ports = new ArrayList<>(node.ports().size());
        boolean changed = false;
        for (SwitchPort port : node.ports()) {
            PortPeer peer = port.peer();
            HostDevice device =
                    peer == null || !isHostEnd(peer.id()) || switches.containsKey(peer.id()) ? null : device(peer.id());
            if (device != null) {
                ports.add(leadingTo(port, port.number(), device));
                placed.add(device.end());
                changed = true;
            } else {
                ports.add(port);
                if (peer != null && ids.contains(peer.id())) {
                    placed.add(peer);
                }
            }
        }
        return changed ? SwitchBuilder.from(node).withPorts(ports) : node;
    }

    private @Nullable HostDevice device(String id) {
        HostDevice byAddress = byMac.get(id);
        int slash = id.indexOf('/');
        if (byAddress != null || slash < 0 || slash == id.length() - 1 || ids.contains(id)) {
            return byAddress;
        }
        String name = id.substring(slash + 1);
        HostDevice found = null;
        for (HostDevice device : byHost.getOrDefault(host(id.substring(0, slash)), List.of())) {
            boolean same = name.equals(device.netdev()) || name.equals(device.osName());
            // Ports of one card, and virtual functions, may share an interface's name with its physical function.
            if (same && (found == null || device.fabricPort() && !found.fabricPort())) {
                found = device;
            }
        }
        return found;
    }

    /** The host that an end stands for as a whole, {@code host/}, {@code host/*} or {@code host/nvlink}; {@code null} for any other end. */
    public static @Nullable String hostOf(String id) {
        int slash = id.indexOf('/');
        return slash > 0 && WHOLE.contains(id.substring(slash + 1)) ? id.substring(0, slash) : null;
    }

    private Switch hosts(Switch node, Set<PortPeer> placed) {
        List<SwitchPort> ports = new ArrayList<>(node.ports().size());
        List<SwitchPort> more = new ArrayList<>();
        boolean changed = false;
        for (SwitchPort port : node.ports()) {
            PortPeer peer = port.peer();
            String host = peer == null ? null : hostOf(peer.id());
            String which = host == null || peer == null ? "" : peer.id().substring(host.length() + 1);
            boolean accelerators = which.equals(NvlinkClique.ACCELERATORS);
            List<HostDevice> all = host == null
                    ? List.of()
                    : byHost.getOrDefault(host(host), List.of()).stream()
                            .filter(device -> !accelerators || device.family() == Family.NVLink)
                            .toList();
            if (all.isEmpty()) {
                ports.add(port);
                continue;
            }
            changed = true;
            List<HostDevice> left = unplaced(all, which, placed);
            // A host whose devices all have their places needs none: the port leads to what is known already.
            ports.add(
                    left.isEmpty()
                            ? SwitchPortBuilder.builder(port)
                                    .peer(null)
                                    .peerHost(null)
                                    .peerOsName(null)
                                    .peerType(null)
                                    .build()
                            : leadingTo(port, port.number(), left.getFirst()));
            left.stream().skip(1).forEach(device -> more.add(leadingTo(port, 0, device)));
            left.forEach(device -> placed.add(device.end()));
        }
        if (!changed) {
            return node;
        }
        // Such a source has no numbers of ports: those of further devices are counted on.
        int number = ports.stream().mapToInt(SwitchPort::number).max().orElse(0);
        for (SwitchPort port : more) {
            number++;
            ports.add(SwitchPortBuilder.from(port).withNumber(number));
        }
        return SwitchBuilder.from(node).withPorts(ports);
    }

    private static List<HostDevice> unplaced(List<HostDevice> all, String which, Set<PortPeer> placed) {
        List<Family> families = which.equals(NvlinkClique.ACCELERATORS) ? List.of(Family.NVLink) : MADE_FOR_FABRICS;
        List<HostDevice> standing = all.stream()
                .filter(device -> families.contains(device.family()) && device.fabricPort())
                .sorted(Comparator.comparing((HostDevice device) -> families.indexOf(device.family()))
                        .thenComparing(HostDevice::osName)
                        .thenComparing(device -> device.end().port()))
                .toList();
        return standing.stream()
                .filter(device -> which.equals(ALL)
                        || device.family() == standing.getFirst().family())
                .filter(device -> !placed.contains(device.end()))
                .toList();
    }

    private static SwitchPort leadingTo(SwitchPort port, int number, HostDevice device) {
        return SwitchPortBuilder.builder(port)
                .number(number)
                .peer(device.end())
                .peerHost(device.hostname())
                .peerOsName(device.osName())
                .peerType(NodeType.Device)
                .build();
    }

    /** How the host of an end is looked for: as it is written, else without its domain. */
    private String host(String reported) {
        String lower = reported.toLowerCase(Locale.ROOT);
        return byHost.containsKey(lower) ? lower : shortName(lower);
    }

    private static String shortName(String name) {
        int dot = name.indexOf('.');
        return (dot > 0 ? name.substring(0, dot) : name).toLowerCase(Locale.ROOT);
    }
}
