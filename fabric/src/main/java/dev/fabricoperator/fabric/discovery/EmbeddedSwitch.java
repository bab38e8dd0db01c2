/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The switch in a card in switchdev mode. The RDMA device of the function that manages it has a port for each of the
 * switch's: uplinks, which are the ports of the card, and representors of virtual functions, sub-functions and hosts.
 *
 * @see "Linux Documentation/networking/switchdev.rst; drivers/infiniband/hw/mlx5/ib_rep.c, mlx5/core/eswitch.c"
 */
final class EmbeddedSwitch {

    /**
     * A port of the card.
     *
     * @param port of the RDMA device
     * @param netdev its interface, the bond where the driver made one port of several; null where that is elsewhere, as
     *     in another network namespace
     */
    record Uplink(int port, @Nullable NetInterface netdev) {}

    private final HostTree tree;
    private final List<NetInterface> interfaces;
    private final List<NetInterface> uplinks;
    private final List<NetInterface> representors;

    private EmbeddedSwitch(
            HostTree tree, List<NetInterface> interfaces, List<NetInterface> uplinks, List<NetInterface> representors) {
        this.tree = tree;
        this.interfaces = interfaces;
        this.uplinks = uplinks;
        this.representors = representors;
    }

    /**
     * The switch that a function manages.
     *
     * @param devicePath of the function
     * @param rdmaPaths bus devices with an RDMA device: one without shares that of the card's first function
     */
    static Optional<EmbeddedSwitch> of(
            HostTree tree, List<NetInterface> interfaces, String devicePath, Set<String> rdmaPaths) {
        List<NetInterface> own = interfaces.stream()
                .filter(n -> devicePath.equals(n.devicePath()))
                .toList();
        String id = own.stream()
                .map(n -> n.switchId(tree))
                .filter(i -> i != null)
                .findFirst()
                .orElse(null);
        if (id == null && own.stream().noneMatch(n -> n.kind() == NetInterface.Kind.Representor)) {
            return Optional.empty();
        }
        List<NetInterface> all = new ArrayList<>(own);
        if (id != null) {
            interfaces.stream()
                    .filter(n -> n.devicePath() != null && !rdmaPaths.contains(n.devicePath()))
                    .filter(n -> id.equals(n.switchId(tree)))
                    .sorted(Comparator.comparing(NetInterface::devicePath))
                    .forEach(all::add);
        }
        List<NetInterface> ports =
                all.stream().filter(n -> n.kind() == NetInterface.Kind.Port).toList();
        List<NetInterface> uplinks =
                ports.stream().filter(n -> n.isNamedAsUplink(tree)).toList();
        return Optional.of(new EmbeddedSwitch(
                tree,
                interfaces,
                uplinks.isEmpty() ? ports : uplinks,
                all.stream()
                        .filter(n -> n.kind() == NetInterface.Kind.Representor)
                        .toList()));
    }

    /**
     * The uplinks among the ports of the RDMA device, at least one. Where its GIDs do not name the interfaces, by the
     * order in which the driver numbers the switch's ports: uplink first until Linux 5.11; since then the ports of all
     * functions that there may be, uplink last. Of bonded uplinks the first function has the one port; behind it are the
     * ports of the others.
     *
     * @param ports ascending
     * @param named names of the interfaces that the GIDs of a port are of
     * @param active whether a port is up
     */
    List<Uplink> uplinks(List<Integer> ports, IntFunction<Set<String>> named, IntPredicate active) {
        NetInterface bond = bondOfSeveral();
        List<Uplink> found = new ArrayList<>();
        for (int port : ports) {
            Set<String> names = named.apply(port);
            interfaces.stream()
                    .filter(n -> names.contains(n.name()) && (uplinks.contains(n) || n.equals(bond)))
                    .findFirst()
                    .ifPresent(n -> found.add(new Uplink(port, n)));
        }
        if (!found.isEmpty()) {
            return found;
        }
        List<NetInterface> each = bond != null ? List.of(bond) : uplinks;
        int count = Math.clamp(each.size(), 1, ports.size());
        int perUplink = ports.size() / count;
        boolean hasPortsOfNobody = ports.size() > count + representors.size();
        boolean uplinkLast = hasPortsOfNobody
                && (!active.test(ports.getFirst()) || representors.stream().anyMatch(r -> r.representsHost(tree)));
        // Where bonded functions share no forwarding table, as on older kernels, the last port is the one that is up.
        int functions = uplinks.size();
        int portsAndUplinks = ports.size() + functions - 1;
        if (uplinkLast && bond != null && portsAndUplinks % functions == 0) {
            int port = ports.get(portsAndUplinks / functions - 1);
            if (active.test(port) || !active.test(ports.getLast())) {
                return List.of(new Uplink(port, bond));
            }
        }
        for (int i = 0; i < count; i++) {
            int port = ports.get(uplinkLast ? (i + 1) * perUplink - 1 : i * perUplink);
            found.add(new Uplink(port, i < each.size() ? each.get(i) : null));
        }
        return found;
    }

    /** The bond that holds all of several uplinks: one port stands for all of them. */
    private @Nullable NetInterface bondOfSeveral() {
        List<String> names = uplinks.stream().map(NetInterface::name).toList();
        return interfaces.stream()
                .filter(n -> n.kind() == NetInterface.Kind.Bond && names.size() > 1)
                .filter(n -> n.members(new AttributeReader(tree)).containsAll(names))
                .findFirst()
                .orElse(null);
    }
}
