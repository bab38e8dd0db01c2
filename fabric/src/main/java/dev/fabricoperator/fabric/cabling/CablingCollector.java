/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import dev.fabricoperator.fabric.device.PortState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gathers nodes and cables of a source that names them in any order, and makes them {@link Cabling}.
 *
 * <p>Ports are identified by name. Their numbers are assigned at the end ({@link PortNumbers}); ports without a name get the
 * lowest free numbers, from 1 or for a device from 0, in the order of their far ends and speeds. Bounds on what a source can allocate:
 * 2<sup>18</sup> nodes of which 2<sup>14</sup> may be switches, 2<sup>20</sup> ports, and what a {@link HeapBudget} allows.
 *
 * <p>A source may have several texts. Their lines are counted on from one to the next ({@link #begin}); messages have the file
 * and the line in it.
 */
public final class CablingCollector {
    private static final int MAX_NODES = 1 << 18;
    private static final int MAX_SWITCHES = 1 << 14;
    private static final int MAX_PORTS = 1 << 20;
    private static final int MAX_PROBLEMS = 1000;
    private static final int MAX_LINES = 1 << 30;

    /** Of ports without a name, so that their numbers do not depend on what the source says first. */
    private static final Comparator<Port> BY_FAR_END = Comparator.comparing(
                    (Port p) -> p.far == null ? "" : p.far.node.id)
            .thenComparing(p -> p.far == null || p.far.name == null ? "" : p.far.name)
            .thenComparingLong(p -> Objects.requireNonNullElse(p.speedBitsPerSecond, 0L));

    private final String source;
    private final List<Text> texts = new ArrayList<>();
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final List<Problem> problems = new ArrayList<>();
    private final HeapBudget budget;
    private int ports;

    /** @param before lines of all texts before it */
    private record Text(String file, int before) {}

    /**
     * @param source kind of the source, for example {@code lldp}
     * @param file what to call its text in messages
     */
    public CablingCollector(String source, String file) {
        this(source);
        texts.add(new Text(file, 0));
    }

    /** Of a source whose texts are named as they {@link #begin}. */
    public CablingCollector(String source) {
        this.source = source;
        budget = new HeapBudget(source);
    }

    /**
     * Begins another text.
     *
     * @param lines that the one before has
     * @return lines of all texts before it, with which its own are counted here
     */
    public int begin(String file, int lines) throws BadInputException {
        long before = texts.isEmpty() ? 0 : texts.getLast().before() + (long) lines;
        if (before > MAX_LINES) {
            throw new BadInputException(file, 1, "more than " + MAX_LINES + " lines in the files before it");
        }
        texts.add(new Text(file, (int) before));
        return (int) before;
    }

    private Text text(int line) {
        int low = 0;
        int high = texts.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) / 2;
            if (texts.get(middle).before() < line) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return texts.get(low);
    }

    /** The text that a line is in. */
    public String file(int line) {
        return text(line).file();
    }

    /** The line as its text counts. */
    public int lineInFile(int line) {
        return line - text(line).before();
    }

    /** A line, for a message about another one: {@code line 7}, or {@code line 7 of b.json} where there are several texts. */
    public String where(int line) {
        return "line " + lineInFile(line) + (texts.size() > 1 ? " of " + file(line) : "");
    }

    /** Whether two lines are of one text. */
    public boolean isOneText(int line, int other) {
        return text(line).before() == text(other).before();
    }

    /** A switch or device while it is being described; what nobody says stays {@code null}. */
    public static final class Node {
        private final String id;
        private final int line;
        private final Map<String, Port> named = new HashMap<>();
        private final List<Port> unnamed = new ArrayList<>();
        private boolean device;
        private int cables;
        public @Nullable String name;
        public @Nullable String vendor;
        public @Nullable String model;
        public @Nullable String chassis;
        public @Nullable String hostname;
        public @Nullable String osName;
        public @Nullable String systemImageGuid;

        private Node(String id, int line) {
            this.id = id;
            this.line = line;
        }

        public String id() {
            return id;
        }

        /** Where the source names it first, from 1. */
        public int line() {
            return line;
        }

        public boolean isDevice() {
            return device;
        }

        /** From now on a device; switches are what is not. */
        public Node asDevice() {
            device = true;
            return this;
        }

        public int cables() {
            return cables;
        }

        /** Far ends of its cables, in no order. */
        public List<Node> neighbors() {
            List<Node> far = new ArrayList<>();
            named.values().forEach(p -> addFar(far, p));
            unnamed.forEach(p -> addFar(far, p));
            return far;
        }

        private static void addFar(List<Node> into, Port port) {
            if (port.far != null) {
                into.add(port.far.node);
            }
        }
    }

    /** One port of a node. */
    public static final class Port {
        private final Node node;
        private final @Nullable String name;
        private final int line;
        private int number;
        private @Nullable Port far;
        public @Nullable PortState state;
        public @Nullable Long speedBitsPerSecond;
        public @Nullable Integer width;
        public @Nullable Integer lid;
        public @Nullable String guid;

        private Port(Node node, @Nullable String name, int line) {
            this.node = node;
            this.name = name;
            this.line = line;
        }

        public Node node() {
            return node;
        }

        public boolean hasCable() {
            return far != null;
        }

        private boolean leadsTo(Port other) {
            return far == other
                    || far != null && far.node == other.node && far.name != null && far.name.equals(other.name);
        }
    }

    public BadInputException bad(int line, String wrong) {
        return new BadInputException(file(line), lineInFile(line), wrong);
    }

    /**
     * Takes memory for something that is kept beside nodes and ports.
     *
     * @throws BadInputException if the source has had all that it gets
     */
    public void spend(int line, long bytes) throws BadInputException {
        try {
            budget.spend(line, bytes);
        } catch (BadInputException e) {
            throw bad(line, e.wrong());
        }
    }

    /** Something wrong that is tolerated; only the first thousand are kept. */
    public void problem(int line, String message) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(located(new Problem(line, message)));
        }
    }

    /** One that is about the whole source: of many the first are shown. */
    public void firstProblem(Problem problem) {
        problems.addFirst(located(problem));
    }

    private Problem located(Problem problem) {
        Integer line = problem.line();
        return line == null || texts.size() < 2
                ? problem
                : new Problem(file(line), lineInFile(line), problem.message(), problem.wiring());
    }

    /** @throws BadInputException if there are too many, or the id cannot be one */
    public Node node(String id, int line) throws BadInputException {
        Node known = nodes.get(id);
        if (known != null) {
            return known;
        }
        if (!NodeId.isUsable(id)) {
            throw bad(line, "not the id of a switch or device: \"" + printable(id) + "\"");
        }
        if (nodes.size() == MAX_NODES) {
            throw bad(line, "more than " + MAX_NODES + " switches and devices");
        }
        spend(line, HeapBudget.BYTES_OF_NODE + HeapBudget.ofText(id));
        Node node = new Node(id, line);
        nodes.put(id, node);
        return node;
    }

    /**
     * Names a node as the source writes it, where its id does not.
     *
     * @throws BadInputException if the source writes it in another case elsewhere, which is another node there and not here
     */
    public void name(Node node, String name, int line) throws BadInputException {
        if (node.name != null && !node.name.equals(name)) {
            throw bad(
                    line,
                    "\"" + printable(name) + "\" and \"" + printable(node.name) + "\" differ in nothing but case");
        }
        node.name = name;
    }

    /** In the order in which they were named. */
    public List<Node> nodes() {
        return List.copyOf(nodes.values());
    }

    /**
     * A port, made when it is new.
     *
     * @param name {@code null} for one whose name is not known: a new one at every call
     */
    public Port port(Node node, @Nullable String name, int line) throws BadInputException {
        Port known = name == null ? null : node.named.get(name);
        if (known != null) {
            return known;
        }
        if (ports++ == MAX_PORTS) {
            throw bad(line, "more than " + MAX_PORTS + " ports");
        }
        spend(line, HeapBudget.BYTES_OF_PORT + HeapBudget.ofText(name));
        Port port = new Port(node, name, line);
        if (name == null) {
            node.unnamed.add(port);
        } else {
            node.named.put(name, port);
        }
        return port;
    }

    /**
     * Joins two ports. The same cable may be named again, from either end.
     *
     * @return what the source contradicts, in words that name the earlier line; {@code null} where all is well. A cable
     *     that contradicts an earlier one is not kept
     */
    public @Nullable String join(Port one, Port other) {
        if (one == other) {
            return "a cable from port " + one.name + " of " + one.node.id + " to itself";
        }
        if (one.leadsTo(other) && other.leadsTo(one)) {
            return null;
        }
        Port taken = one.far != null ? one : other.far != null ? other : null;
        if (taken != null) {
            return "port " + taken.name + " of " + taken.node.id + " had another cable on " + where(taken.line);
        }
        one.far = other;
        other.far = one;
        one.node.cables++;
        other.node.cables++;
        return null;
    }

    /** @throws BadInputException if there are more switches than any fabric has */
    public Cabling build() throws BadInputException {
        List<Node> sorted = new ArrayList<>(nodes.values());
        sorted.sort(Comparator.comparing(Node::id));
        int switches = 0;
        for (Node node : sorted) {
            switches += node.device ? 0 : 1;
            if (switches > MAX_SWITCHES) {
                throw bad(node.line, "more than " + MAX_SWITCHES + " switches");
            }
            number(node);
        }
        List<Switch> made = new ArrayList<>(switches);
        List<Adapter> adapters = new ArrayList<>(sorted.size() - switches);
        for (Node node : sorted) {
            if (node.device) {
                adapters.add(adapter(node));
            } else {
                made.add(toSwitch(node));
            }
        }
        return new Cabling(source, made, adapters, 0, problems);
    }

    private static void number(Node node) {
        int first = node.device ? 0 : 1;
        if (node.named.isEmpty() && node.unnamed.size() == 1) {
            // Hosts of a tree, of which there may be very many.
            node.unnamed.getFirst().number = first;
            return;
        }
        Map<String, Integer> numbers = node.named.isEmpty() ? Map.of() : PortNumbers.of(node.named.keySet());
        Set<Integer> taken = new HashSet<>(numbers.values());
        node.named.forEach((name, port) -> port.number = numbers.getOrDefault(name, 0));
        node.unnamed.sort(BY_FAR_END);
        int next = first;
        for (Port port : node.unnamed) {
            while (!taken.add(next)) {
                next++;
            }
            port.number = next;
        }
    }

    private Switch toSwitch(Node node) {
        List<SwitchPort> made = new ArrayList<>();
        for (Port port : portsOf(node)) {
            Port far = port.far;
            Node device = far != null && far.node.device ? far.node : null;
            made.add(new SwitchPort(
                    port.number,
                    peer(port),
                    port.state == null ? PortState.Unknown : port.state,
                    port.speedBitsPerSecond,
                    port.width,
                    port.lid,
                    device == null ? null : device.hostname,
                    device == null ? null : device.osName,
                    far == null ? null : far.node.device ? NodeType.Device : NodeType.Switch));
        }
        return new Switch(node.id, node.name, node.vendor, node.model, node.chassis, source, made);
    }

    private static Adapter adapter(Node node) {
        List<AdapterPort> made = new ArrayList<>();
        for (Port port : portsOf(node)) {
            made.add(
                    new AdapterPort(port.number, port.guid, port.lid, port.speedBitsPerSecond, port.width, peer(port)));
        }
        return new Adapter(node.id, node.hostname, node.osName, node.name, null, null, node.systemImageGuid, made);
    }

    private static List<Port> portsOf(Node node) {
        List<Port> all = new ArrayList<>(node.named.values());
        all.addAll(node.unnamed);
        all.sort(Comparator.comparingInt(p -> p.number));
        return all;
    }

    private static @Nullable PortPeer peer(Port port) {
        return port.far == null ? null : new PortPeer(port.far.node.id, port.far.number);
    }

    /** The start of a text from a source, fit for a message. */
    public static String printable(String text) {
        String start = text.length() > 60 ? text.substring(0, 60) + "..." : text;
        StringBuilder ascii = new StringBuilder(start.length());
        start.codePoints().forEach(c -> ascii.appendCodePoint(c < ' ' || c > '~' ? '?' : c));
        return ascii.toString();
    }
}
