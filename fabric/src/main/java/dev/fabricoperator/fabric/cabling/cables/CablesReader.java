/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.cables;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.CablingCollector.Node;
import dev.fabricoperator.fabric.cabling.CablingCollector.Port;
import dev.fabricoperator.fabric.cabling.NodeId;
import dev.fabricoperator.fabric.cabling.PortNumbers;
import dev.fabricoperator.fabric.cabling.Problem;
import java.io.IOException;
import java.io.Reader;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a table of cables: comma-separated values under the header {@code from,fromPort,to,toPort,speedBitsPerSecond},
 * in any order of columns, of which only {@code from} and {@code to} must be there. Empty lines and lines that begin
 * with {@code #} are skipped.
 *
 * <p>An end is a switch, unless it reads {@code host/osName} or {@code device:<id>}, or is a node GUID with a single
 * cable, to something that has more; {@code switch:<id>} says that it is a switch all the same. A row without a
 * {@code to} describes a port without a cable.
 *
 * <p>Several tables of one network are read as if their rows stood in one ({@link #add}), each under a header of its own.
 *
 * <p>The same is read from a {@link TopologyFileReader topology file} of ibutils.
 *
 * <p>Cost: time and memory in proportion to the text.
 */
public final class CablesReader {
    static final String SOURCE = "cables";

    private static final int MAX_LINE = 4096;
    private static final List<String> COLUMNS = List.of("from", "fromport", "to", "toport", "speedbitspersecond");
    private static final int FROM = 0;
    private static final int FROM_PORT = 1;
    private static final int TO = 2;
    private static final int TO_PORT = 3;
    private static final int SPEED = 4;

    /** Bound of {@code FabricSwitch.spec.ports[].speedBitsPerSecond}. */
    private static final long MAX_SPEED = 1_000_000_000_000_000L;

    private final CablingCollector collector = new CablingCollector(SOURCE);
    private final Set<Node> marked = new HashSet<>();
    private int before;
    private int count;

    /**
     * Reads one table; the caller closes {@code text}.
     *
     * @param file what to call the text in messages
     * @throws BadInputException if this is no such table, or contradicts itself
     */
    public static Cabling read(String file, Reader text) throws IOException, BadInputException {
        CablesReader reader = new CablesReader();
        reader.add(file, text);
        return reader.cabling();
    }

    /**
     * Reads one more table; the caller closes {@code text}.
     *
     * @param file what to call the text in messages
     * @throws BadInputException if this is no such table, or contradicts itself or those before it
     */
    public void add(String file, Reader text) throws IOException, BadInputException {
        before = collector.begin(file, count);
        BoundedLines lines = new BoundedLines(file, text, SOURCE, MAX_LINE);
        new Table(lines).read();
        count = lines.number();
    }

    /**
     * What all tables together say.
     *
     * @throws BadInputException if that is nothing, or more than any fabric has
     */
    public Cabling cabling() throws BadInputException {
        List<Node> nodes = collector.nodes();
        if (nodes.isEmpty()) {
            throw collector.bad(before + count, "no cable is described: the table is empty");
        }
        int taken = 0;
        for (Node node : nodes) {
            if (!marked.contains(node) && NodeId.guid(node.id()) != null && hangsOn(node)) {
                node.asDevice();
                taken++;
            }
        }
        if (taken > 0) {
            collector.firstProblem(new Problem(
                    null,
                    taken + " node GUIDs with one cable each are taken for devices; \"switch:\" before one says that"
                            + " it is none"));
        }
        if (nodes.size() > 2 && nodes.stream().allMatch(Node::isDevice)) {
            collector.firstProblem(new Problem(
                    null,
                    "no switch is among the " + nodes.size() + " ends of cables: a name with a slash, such as "
                            + CablingCollector.printable(nodes.getFirst().id())
                            + ", is a device of a host; \"switch:\" before one says that it is none"));
        }
        return collector.build();
    }

    private static boolean hangsOn(Node node) {
        List<Node> neighbors = node.neighbors();
        return neighbors.size() == 1 && neighbors.getFirst().cables() > 1;
    }

    /** One text. */
    private final class Table {
        private final BoundedLines lines;
        private int[] columnOf = new int[0];
        private int width;

        Table(BoundedLines lines) {
            this.lines = lines;
        }

        void read() throws IOException, BadInputException {
            boolean hasRows = false;
            for (String line = lines.next(); line != null; line = lines.next()) {
                if (line.isBlank() || line.startsWith("#")) {
                    continue;
                }
                if (columnOf.length == 0 && TopologyFileReader.begins(line)) {
                    new TopologyFileReader(lines, collector, before).readLines(line);
                    return;
                }
                List<String> fields = CsvLine.fields(line);
                if (fields == null) {
                    throw lines.bad("a quoted field does not end where the next comma or the line's end is");
                }
                if (columnOf.length == 0) {
                    readHeader(fields);
                } else if (!fields.stream().allMatch(String::isBlank)) {
                    // Empty rows of a spreadsheet have all their commas.
                    readRow(fields);
                    hasRows = true;
                }
            }
            if (columnOf.length == 0) {
                throw lines.bad("no header line; expected: from,fromPort,to,toPort,speedBitsPerSecond");
            }
            if (!hasRows) {
                collector.problem(line(), "no cable is described: the table is empty");
            }
        }

        /** As it is counted over all texts. */
        private int line() {
            return before + lines.number();
        }

        private void readHeader(List<String> fields) throws BadInputException {
            columnOf = new int[] {-1, -1, -1, -1, -1};
            width = fields.size();
            for (int i = 0; i < width; i++) {
                int column = COLUMNS.indexOf(fields.get(i).toLowerCase(Locale.ROOT));
                if (column < 0) {
                    collector.problem(
                            line(), "column \"" + CablingCollector.printable(fields.get(i)) + "\" is not read");
                } else if (columnOf[column] >= 0) {
                    throw lines.bad("column " + fields.get(i) + " is there twice");
                } else {
                    columnOf[column] = i;
                }
            }
            if (columnOf[FROM] < 0 || columnOf[TO] < 0) {
                throw lines.bad("not a header line; expected: from,fromPort,to,toPort,speedBitsPerSecond");
            }
        }

        private void readRow(List<String> fields) throws BadInputException {
            if (fields.size() > width) {
                throw lines.bad(fields.size() + " fields under a header of " + width);
            }
            String from = field(fields, FROM);
            String to = field(fields, TO);
            if (from.isEmpty()) {
                throw lines.bad("no \"from\"");
            }
            Long speed = speed(field(fields, SPEED));
            Node near = end(from);
            String nearPort = port(field(fields, FROM_PORT));
            if (to.isEmpty()) {
                if (!field(fields, TO_PORT).isEmpty()) {
                    throw lines.bad("a \"toPort\" without a \"to\"");
                }
                if (nearPort != null) {
                    setSpeed(collector.port(near, nearPort, line()), speed);
                }
                return;
            }
            Port one = collector.port(near, nearPort, line());
            Port other = collector.port(end(to), port(field(fields, TO_PORT)), line());
            String contradiction = collector.join(one, other);
            if (contradiction != null) {
                throw lines.bad(contradiction);
            }
            setSpeed(one, speed);
            setSpeed(other, speed);
        }

        private void setSpeed(Port port, @Nullable Long speed) throws BadInputException {
            if (port.speedBitsPerSecond != null && speed != null && !port.speedBitsPerSecond.equals(speed)) {
                throw lines.bad("the cable had another speed before: " + port.speedBitsPerSecond);
            }
            if (speed != null) {
                port.speedBitsPerSecond = speed;
            }
        }

        private String field(List<String> fields, int column) {
            int at = columnOf[column];
            return at < 0 || at >= fields.size() ? "" : fields.get(at);
        }

        private Node end(String text) throws BadInputException {
            boolean device = text.startsWith("device:");
            boolean isSwitch = text.startsWith("switch:");
            String name = device || isSwitch ? text.substring(7).strip() : text;
            int slash = isSwitch ? -1 : name.indexOf('/');
            boolean onHost = slash > 0 && slash < name.length() - 1 && name.indexOf('/', slash + 1) < 0;
            // Host and kernel names keep their case: a FabricDevice's id is made of them as they are.
            Node node = collector.node(onHost ? name : NodeId.of(name), line());
            if (device || isSwitch || onHost) {
                boolean isDevice = device || onHost;
                if (!marked.add(node) && node.isDevice() != isDevice) {
                    throw lines.bad(node.id() + " was " + (isDevice ? "a switch" : "a device") + " before");
                }
                if (isDevice) {
                    node.asDevice();
                }
            }
            if (onHost) {
                node.hostname = name.substring(0, slash);
                node.osName = name.substring(slash + 1);
            } else if (!name.equals(node.id()) && NodeId.guid(name) == null && NodeId.mac(name) == null) {
                collector.name(node, name, line());
            }
            return node;
        }

        /** The port's name, decimal numbers without leading zeros; {@code null} for none. */
        private @Nullable String port(String text) throws BadInputException {
            if (text.isEmpty()) {
                return null;
            }
            if (!NodeId.isUsable(text)) {
                throw lines.bad("not a port: \"" + CablingCollector.printable(text) + "\"");
            }
            if (!isDecimal(text)) {
                return text;
            }
            int number = text.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(text);
            if (number > PortNumbers.MAX) {
                throw lines.bad("port " + CablingCollector.printable(text) + " is above " + PortNumbers.MAX);
            }
            return Integer.toString(number);
        }

        private @Nullable Long speed(String text) throws BadInputException {
            if (text.isEmpty()) {
                return null;
            }
            if (!isDecimal(text) || text.length() > 16 || Long.parseLong(text) > MAX_SPEED) {
                throw lines.bad("not a speed in bits per second from 0 to " + MAX_SPEED + ": \""
                        + CablingCollector.printable(text) + "\"");
            }
            long speed = Long.parseLong(text);
            return speed == 0 ? null : speed;
        }

        private static boolean isDecimal(String text) {
            for (int i = 0; i < text.length(); i++) {
                if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                    return false;
                }
            }
            return !text.isEmpty();
        }
    }
}
