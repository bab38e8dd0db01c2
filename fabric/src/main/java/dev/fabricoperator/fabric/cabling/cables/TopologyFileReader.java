/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.cables;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.CablingCollector.Node;
import dev.fabricoperator.fabric.cabling.CablingCollector.Port;
import dev.fabricoperator.fabric.cabling.HeapBudget;
import dev.fabricoperator.fabric.cabling.LinkRate;
import dev.fabricoperator.fabric.cabling.NodeId;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the topology file of ibutils, which describes a fabric for {@code ibdmchk}, {@code ibdiagnet -t} and {@code ibmgtsim -t}: a line
 * {@code TYPE NAME} for a system, with {@code CFG:} and its boards behind it where it is a director, and a line for each of its cables,
 * {@code P1 -4x-5G-> TYPE NAME P2}, of which the lanes and the gigabits per second of one lane may be left out.
 *
 * <p>Nothing says which types are switches: a system is a host if none of its type has more than two cables, the ports of an adapter, and either
 * none of its type has cables listed below it, or all of its own lead to systems with more.
 *
 * @see "ibdm-topo-file(1)"
 */
final class TopologyFileReader {
    private static final Pattern SYSTEM = Pattern.compile("([^\\s,]++)[ \\t]++([^\\s,]++)(?:[ \\t]++CFG:.*+)?[ \\t]*+");
    private static final Pattern CABLE = Pattern.compile(
            "[ \\t]*+(\\S++)[ \\t]++-(?:(\\d{1,2}x)-)?(?:([\\d.]{1,4})G?-)?>[ \\t]++(\\S++)[ \\t]++(\\S++)[ \\t]++(\\S++)[ \\t]*+");
    private static final int PORTS_OF_AN_ADAPTER = 2;

    private final BoundedLines lines;
    private final CablingCollector collector;
    private final int before;
    private final Map<Node, String> typeOf = new LinkedHashMap<>();
    /** Types of which a system has cables of its own. */
    private final Set<String> described = new HashSet<>();

    /** @param before lines of all texts before this one */
    TopologyFileReader(BoundedLines lines, CablingCollector collector, int before) {
        this.before = before;
        this.lines = lines;
        this.collector = collector;
    }

    /** Whether a line that is neither empty nor a comment begins such a file. */
    static boolean begins(String line) {
        return SYSTEM.matcher(line).matches();
    }

    /** Reads from this line on, to which {@code lines} has gone. */
    void readLines(String first) throws IOException, BadInputException {
        Node system = null;
        for (String line = first; line != null; line = lines.next()) {
            Matcher cable = CABLE.matcher(line);
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            if (cable.matches()) {
                readCable(system, cable);
            } else if (begins(line)) {
                Matcher names = SYSTEM.matcher(line);
                names.matches();
                system = system(names.group(1), names.group(2));
                described.add(names.group(1));
            } else {
                throw lines.bad("neither a system (\"TYPE NAME\") nor a cable of one (\"P1 -4x-5G-> TYPE NAME P2\"): \""
                        + CablingCollector.printable(line.strip()) + "\"");
            }
        }
        tellHosts();
    }

    private void readCable(@Nullable Node system, Matcher cable) throws BadInputException {
        if (system == null) {
            throw lines.bad("a cable before any system");
        }
        Port near = collector.port(system, port(cable.group(1)), line());
        Port far = collector.port(system(cable.group(4), cable.group(5)), port(cable.group(6)), line());
        String contradiction = collector.join(near, far);
        if (contradiction != null) {
            throw lines.bad(contradiction);
        }
        LinkRate rate =
                cable.group(2) == null || cable.group(3) == null ? null : LinkRate.of(cable.group(2), cable.group(3));
        if (rate != null && rate.bitsPerSecond() == null) {
            collector.problem(line(), LinkRate.UNKNOWN);
        }
        if (rate != null) {
            for (Port port : List.of(near, far)) {
                port.width = rate.width();
                port.speedBitsPerSecond = rate.bitsPerSecond();
            }
        }
    }

    private Node system(String type, String name) throws BadInputException {
        Node node = collector.node(NodeId.of(name), line());
        String known = typeOf.putIfAbsent(node, type);
        if (known == null) {
            // A type may be as long as a line, and each node's another one.
            collector.spend(line(), HeapBudget.ofText(type) + HeapBudget.ofText(name));
        }
        if (known != null && !known.equals(type)) {
            throw lines.bad(CablingCollector.printable(name) + " was of type " + CablingCollector.printable(known)
                    + " on " + collector.where(node.line()));
        }
        collector.name(node, name, line());
        return node;
    }

    /** As it is printed on the system: {@code P12} is port 12. */
    private String port(String text) throws BadInputException {
        if (!NodeId.isUsable(text)) {
            throw lines.bad("not a port: \"" + CablingCollector.printable(text) + "\"");
        }
        boolean numbered = text.matches("P\\d{1,5}");
        return numbered ? Integer.toString(Integer.parseInt(text.substring(1))) : text;
    }

    /** As it is counted over all texts. */
    private int line() {
        return before + lines.number();
    }

    private void tellHosts() throws BadInputException {
        if (typeOf.keySet().stream().noneMatch(node -> node.cables() > 0)) {
            throw lines.bad(
                    "no cable is described; expected: the header from,fromPort,to,toPort,speedBitsPerSecond, or a"
                            + " topology file of ibutils");
        }
        Map<String, Integer> mostCables = new HashMap<>();
        typeOf.forEach((node, type) -> mostCables.merge(type, node.cables(), Math::max));
        Set<Node> hosts = new HashSet<>();
        typeOf.forEach((node, type) -> {
            if (mostCables.getOrDefault(type, 0) <= PORTS_OF_AN_ADAPTER
                    && node.cables() > 0
                    && (!described.contains(type)
                            || node.neighbors().stream().allMatch(far -> far.cables() > PORTS_OF_AN_ADAPTER))) {
                hosts.add(node);
            }
        });
        for (Node host : hosts) {
            host.asDevice();
            host.hostname = host.name;
        }
    }
}
