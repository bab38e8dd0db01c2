/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.slurm;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.CablingCollector.Node;
import dev.fabricoperator.fabric.cabling.CablingCollector.Port;
import dev.fabricoperator.fabric.cabling.HeapBudget;
import dev.fabricoperator.fabric.cabling.HostList;
import dev.fabricoperator.fabric.cabling.NodeId;
import dev.fabricoperator.fabric.cabling.NvlinkClique;
import dev.fabricoperator.fabric.topology.HostEnds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The switches of a Slurm topology, or of another tree of names with hosts below, while they are read, whatever the form of the file.
 *
 * <p>Such a tree knows hosts, not their devices: a host's end is {@code <host>/}, a device whose name nobody says. Names as
 * InfiniBand tools make them ({@code S-<guid>}, {@code H-<guid>}) are the GUIDs in them. Ports have no numbers.
 */
public final class SlurmTree {
    /** Names on one line, and of all lines together: several times the largest clusters there are. */
    private static final int MAX_NAMES = 1 << 18;

    /** The same of lists that name again at each level what is below. */
    private static final int MAX_NAMES_SHOWN = 4 * MAX_NAMES;

    /** Of a line that waits for the end, beside its texts. */
    private static final int BYTES_SHOWN = 64;

    private final CablingCollector collector;
    private final Map<Node, Integer> described = new HashMap<>();
    private final List<Shown> shown = new ArrayList<>();
    private final Set<Link> joined = new HashSet<>();
    private int names;
    /** What follows a host's name in the id of its end. */
    private String hostDevices = "";

    private record Link(Node one, Node other) {}

    private record Shown(int line, int level, String name, String nodes) {}

    public SlurmTree(String file) {
        this("slurm", file);
    }

    /** @param source kind of the source, where it is not Slurm that says where hosts are */
    public SlurmTree(String source, String file) {
        collector = new CablingCollector(source, file);
    }

    /** Cliques of NVLink with their hosts, whose accelerators they join. */
    public static SlurmTree ofCliques(String source, String file) {
        SlurmTree tree = new SlurmTree(source, file);
        tree.hostDevices = NvlinkClique.ACCELERATORS;
        return tree;
    }

    /** Hosts stand for their devices of all families, and not of the first alone. */
    public static SlurmTree ofAllDevices(String source, String file) {
        SlurmTree tree = new SlurmTree(source, file);
        tree.hostDevices = HostEnds.ALL;
        return tree;
    }

    /** Of texts that are named as they {@link #begin}. */
    public SlurmTree() {
        collector = new CablingCollector("slurm");
    }

    /** As {@link CablingCollector#begin}: what one text says of a switch adds to what others say. */
    public int begin(String file, int lines) throws BadInputException {
        return collector.begin(file, lines);
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
        Integer before = described.putIfAbsent(node, line);
        if (before != null && collector.isOneText(before, line)) {
            throw collector.bad(line, "switch " + CablingCollector.printable(name) + " is described twice");
        }
        for (String child : expand(line, switches)) {
            link(line, node, switchNode(child, line), speed);
        }
        for (String host : expand(line, nodes)) {
            link(line, node, host(line, host), speed);
        }
    }

    /**
     * Hosts of a switch that a list shows with all hosts below it: its own are those that no other switch has in the end.
     *
     * @param level of the switch, from 0
     */
    public void addShown(int line, int level, String name, String nodes) throws BadInputException {
        collector.spend(line, BYTES_SHOWN + HeapBudget.ofText(name) + HeapBudget.ofText(nodes));
        shown.add(new Shown(line, level, name, nodes));
    }

    private void placeShown() throws BadInputException {
        shown.sort(Comparator.comparingInt(Shown::level));
        int left = MAX_NAMES_SHOWN;
        for (Shown each : shown) {
            List<String> below = expand(each.line(), each.nodes(), Math.min(left, MAX_NAMES));
            left -= below.size();
            for (String name : below) {
                Node host = host(each.line(), name);
                if (host.cables() == 0) {
                    link(each.line(), switchNode(each.name(), each.line()), host, null);
                }
            }
        }
    }

    private Node host(int line, String name) throws BadInputException {
        String guid = name.startsWith("H-") ? NodeId.guid(name) : null;
        Node device = collector
                .node(guid == null ? name + "/" + hostDevices : guid, line)
                .asDevice();
        device.hostname = guid == null ? name : null;
        device.osName = areCliques() ? hostDevices : null;
        return device;
    }

    private boolean areCliques() {
        return hostDevices.equals(NvlinkClique.ACCELERATORS);
    }

    private Node switchNode(String name, int line) throws BadInputException {
        Node node = collector.node(NodeId.of(name), line);
        if (!node.id().equals(name)) {
            node.name = name;
        }
        node.model = areCliques() ? NvlinkClique.MODEL : null;
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
        List<String> expanded = list == null ? List.of() : expand(line, list, MAX_NAMES - names);
        names += expanded.size();
        return expanded;
    }

    private List<String> expand(int line, String list, int most) throws BadInputException {
        try {
            return HostList.expand(list, most);
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
        placeShown();
        for (Node node : collector.nodes()) {
            if (!node.isDevice() && !described.containsKey(node)) {
                collector.problem(node.line(), "switch " + node.id() + " is named and not described");
            }
        }
        return collector.build();
    }
}
