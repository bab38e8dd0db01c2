/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.ufm;

import dev.fabricoperator.fabric.cabling.HostName;
import dev.fabricoperator.formats.ufm.UfmObjects.End;
import dev.fabricoperator.formats.ufm.UfmObjects.UfmLink;
import dev.fabricoperator.formats.ufm.UfmObjects.UfmPort;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which node, by its GUID, an adapter's port belongs to, and its number there.
 *
 * <p>UFM names an adapter's port by the port's GUID and its place on the card. The node's GUID, by which a host knows its
 * device, is said of a port's far end only ({@code peer_node_guid}). Where it is not said:
 *
 * <ul>
 *   <li>what is named by the GUID that the link itself gives is that node;
 *   <li>adapters up to ConnectX-3 have port GUIDs that follow the node's;
 *   <li>two ports of one name ({@code node1 HCA-1}) are of one node, the GUID of whose first port stands for it;
 *   <li>since ConnectX-4 each port is the only one, number 1, of a node with the port's GUID.
 * </ul>
 *
 * @see "InfiniBand Architecture Specification volume 1, NodeInfo: NodeGUID, PortGUID"
 */
final class AdapterPorts {
    private final Map<PortId, Long> nodes = new HashMap<>();
    private final Set<Long> portGuids = new HashSet<>();

    /** First ports, by system and description. */
    private final Map<String, Long> firstPorts = new HashMap<>();

    AdapterPorts(UfmInventory inventory) {
        Map<PortId, Long> owners = new HashMap<>();
        Set<Long> shared = new HashSet<>();
        for (UfmPort port : inventory.ports.values()) {
            portGuids.add(port.id().guid());
            PortId peer = port.peer();
            if (peer != null && port.peerNode() != 0) {
                nodes.put(peer, port.peerNode());
                Long other = owners.put(new PortId(port.peerNode(), peer.number()), peer.guid());
                if (other != null && other != peer.guid()) {
                    shared.add(port.peerNode());
                }
            }
        }
        // A GUID that two ports of one number share is that of a host, not of a node.
        nodes.values().removeIf(shared::contains);
        for (UfmLink link : inventory.links) {
            learn(link.source());
            learn(link.destination());
        }
        for (UfmPort port : inventory.ports.values()) {
            learn(new End(port.id(), port.system(), port.label(), port.description()));
        }
    }

    private void learn(End end) {
        portGuids.add(end.port().guid());
        String key = end.port().number() == 1 ? key(end) : null;
        if (key != null) {
            firstPorts.putIfAbsent(key, end.port().guid());
        }
    }

    private static @Nullable String key(End end) {
        return end.description() == null ? null : PortId.text(end.system()) + end.description();
    }

    /** The port's node and its number there. */
    PortId resolve(End end, @Nullable HostName name) {
        PortId port = end.port();
        Long node = nodes.get(port);
        if (node != null && node != port.guid()) {
            return new PortId(node, port.number());
        }
        if (end.system() == 0 || end.system() == port.guid()) {
            return port;
        }
        boolean old = name == null || name.osName() == null || !name.osName().startsWith("mlx5");
        if (node == null && old && port.guid() == end.system() + port.number() && !portGuids.contains(end.system())) {
            return new PortId(end.system(), port.number());
        }
        if (port.number() > 1) {
            String key = key(end);
            Long first = key == null ? null : firstPorts.get(key);
            return first == null ? new PortId(port.guid(), 1) : new PortId(first, port.number());
        }
        return port;
    }
}
