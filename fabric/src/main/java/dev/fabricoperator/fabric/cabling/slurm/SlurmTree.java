/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.slurm;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.CablingCollector.Node;
import dev.fabricoperator.fabric.cabling.CablingCollector.Port;
import dev.fabricoperator.fabric.cabling.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The switches of a Slurm topology while they are read, whatever the form of the file.
 *
 * <p>Slurm knows hosts, not their devices: a host's end is {@code <host>/}, a device whose name nobody says. Names as
 * InfiniBand tools make them ({@code S-<guid>}, {@code H-<guid>}) are the GUIDs in them. Ports have no numbers.
 */
public final class SlurmTree {
    /** Names on one line, and of all lines together: several times the largest clusters there are. */
    private static final int MAX_NAMES = 1 << 18;

    private final CablingCollector collector;
    private final Set<Node> described = new HashSet<>();
    private final Set<Link> joined = new HashSet<>();
    private int names;

    private record Link(Node one, Node other) {}

    public SlurmTree(String file) {
        collector = new CablingCollector("slurm", file);
    }

    /**
     * A switch, or a block, with what is below it.
     *
     * @param switches host list expression of switches, {@code null} for none
     * @param nodes the same of hosts
     * @param speed bits per second of the links to what is below, {@code null} if unknown
     */
    public void add(int line, String name, @Nullable String switches, @Nullable String nodes, @Nullable Long speed)
            throws BadInputException {
        Node node = switchNode(name, line);
        if (!described.add(node)) {
            throw collector.bad(line, "switch " + CablingCollector.printable(name) + " is described twice");
        }
        for (String child : expand(line, switches)) {
            link(line, node, switchNode(child, line), speed);
        }
        for (String host : expand(line, nodes)) {
            String guid = host.startsWith("H-") ? NodeId.guid(host) : null;
            Node device = collector.node(guid == null ? host + "/" : guid, line).asDevice();
            device.hostname = guid == null ? host : null;
            link(line, node, device, speed);
        }
    }

    private Node switchNode(String name, int line) throws BadInputException {
        Node node = collector.node(NodeId.of(name), line);
        if (!node.id().equals(name)) {
            node.name = name;
        }
        return node;
    }

    private void link(int line, Node above, Node below, @Nullable Long speed) throws BadInputException {
        if (above == below) {
            throw collector.bad(line, "switch " + above.id() + " is below itself");
        }
        // Sites that write a mesh down name its links from both ends.
        boolean first = above.id().compareTo(below.id()) < 0;
        if (!joined.add(first ? new Link(above, below) : new Link(below, above))) {
            return;
        }
        // A host has one end here; below several switches it would be a device with several cables.
        Port near = collector.port(above, null, line);
        Port far = collector.port(below, null, line);
        near.speedBitsPerSecond = speed;
        far.speedBitsPerSecond = speed;
        collector.join(near, far);
    }

    private List<String> expand(int line, @Nullable String list) throws BadInputException {
        if (list == null) {
            return List.of();
        }
        try {
            List<String> expanded = HostList.expand(list, MAX_NAMES - names);
            names += expanded.size();
            return expanded;
        } catch (HostList.BadHostList e) {
            throw collector.bad(line, String.valueOf(e.getMessage()));
        }
    }

    public BadInputException bad(int line, String wrong) {
        return collector.bad(line, wrong);
    }

    public void problem(int line, String message) {
        collector.problem(line, message);
    }

    /** @throws BadInputException if nothing is described, or a switch is named that nothing describes */
    public Cabling cabling(int lastLine) throws BadInputException {
        if (described.isEmpty()) {
            throw collector.bad(lastLine, "no switch is described: the topology is empty");
        }
        for (Node node : collector.nodes()) {
            if (!node.isDevice() && !described.contains(node)) {
                collector.problem(node.line(), "switch " + node.id() + " is named and not described");
            }
        }
        return collector.build();
    }
}
