/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.LinkRate;
import dev.fabricoperator.fabric.cabling.PortPeer;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.Node.Cable;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.Node.Header;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.Node.Kind;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the output of {@code ibnetdiscover} as infiniband-diags of 2014 to 2025 prints it, with and without
 * {@code --grouping} and {@code --full}.
 *
 * <p>A dump is used whole or not at all: torn lines, cables to nodes that have no record, and a last record without its
 * cables mean that the dump was cut, and a cut dump looks like a fabric that lost half of itself. Contradictions that a
 * fabric in motion can produce are {@link Problem}s.
 *
 * <p>Cost: time and memory in proportion to the text.
 *
 * @see "ibnetdiscover(8), TOPOLOGY FILE FORMAT"
 */
public final class IbnetdiscoverReader {
    static final String SOURCE = "ibnetdiscover";

    /** IBA: NodeInfo NumPorts has eight bits, 255 is the permissive port number. */
    private static final int MAX_PORT = 254;

    /** Several times the largest fabrics there are; keeps what is derived from a hostile dump within the memory. */
    private static final int MAX_NODES = 1 << 18;

    private static final int MAX_SWITCHES = 1 << 14;

    /** A port line holds two GUIDs and a node description of at most 64 bytes; a name map may lengthen that. */
    private static final int MAX_LINE = 8192;

    private static final int MAX_PROBLEMS = 1000;
    private static final String CUT = "the dump is cut or torn";

    /** What the tool and its libraries write to standard error, often caught in the same file. */
    private static final Pattern STDERR_NOISE = Pattern.compile(
            "(?:ibwarn|ibdebug|ibnetdiscover|warn|warning|Warning)\\b.{0,16}:.*|[\\w./-]+\\.c:\\d+[;:].*");

    private final BoundedLines lines;
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final List<Problem> problems = new ArrayList<>();
    private int switches;
    private int chassisNumber;
    private @Nullable Header header;
    private @Nullable Node current;

    private IbnetdiscoverReader(String file, Reader text) {
        lines = new BoundedLines(file, text, SOURCE, MAX_LINE);
    }

    /**
     * Reads one dump; the caller closes {@code text}.
     *
     * @param file what to call the text in messages
     * @throws BadInputException if this is no dump, or not a whole one
     */
    public static Cabling read(String file, Reader text) throws IOException, BadInputException {
        IbnetdiscoverReader reader = new IbnetdiscoverReader(file, text);
        reader.readLines();
        return new Assembly(file, reader.nodes, reader.problems, reader.lines).cabling();
    }

    private void readLines() throws IOException, BadInputException {
        for (String line = lines.next(); line != null; line = lines.next()) {
            readLine(line);
        }
        if (header != null) {
            throw lines.bad("the last record has no node line: " + CUT);
        }
    }

    private void readLine(String line) throws BadInputException {
        if (line.isBlank() || line.startsWith("#")) {
            return;
        }
        if (line.startsWith("Chassis ") || line.startsWith("Non-Chassis ")) {
            chassisNumber = chassisNumber(line);
            return;
        }
        if (line.charAt(0) == '[') {
            readPort(line);
        } else if (line.startsWith("vendid=")) {
            if (header != null) {
                throw lines.bad(
                        "a new record begins before the one of line " + header.line + " has a node line: " + CUT);
            }
            Header begun = header();
            begun.vendorId = hexValue(line);
        } else if (line.startsWith("devid=")) {
            String id = hexValue(line);
            header().deviceId = id.length() < 4 ? "0".repeat(4 - id.length()) + id : id;
        } else if (line.startsWith("sysimgguid=")) {
            header().systemImageGuid = guidValue(line);
            header().chassisNumber = chassisNumber(
                    line.substring(Math.max(line.indexOf('#') + 1, 0)).strip());
        } else if (line.startsWith("switchguid=") || line.startsWith("caguid=") || line.startsWith("rtguid=")) {
            header().nodeGuid = guidValue(line);
        } else if (line.startsWith("Switch") || line.startsWith("Ca") || line.startsWith("Rt")) {
            readNode(line);
        } else if (STDERR_NOISE.matcher(line).matches()) {
            problem(lines.number(), "a message of the tool among its output: " + shown(line));
        } else {
            throw lines.bad("not a line of ibnetdiscover: " + shown(line));
        }
    }

    /** Of {@code Chassis 2 (guid 0x8f10400411f56)}, with --grouping; 0 for other text. */
    private static int chassisNumber(String text) {
        Cursor cursor = new Cursor(text);
        return cursor.take("Chassis ") ? Math.max(cursor.number(), 0) : 0;
    }

    private Header header() {
        Header open = header;
        if (open == null) {
            open = new Header();
            open.line = lines.number();
            header = open;
        }
        return open;
    }

    private String hexValue(String line) throws BadInputException {
        Cursor cursor = new Cursor(line.substring(line.indexOf('=') + 1));
        String padded = cursor.take("0x") ? cursor.guid() : null;
        cursor.skipBlanks();
        if (padded == null || !cursor.atEnd()) {
            throw lines.bad("a hex number is expected: " + shown(line));
        }
        int from = 0;
        while (from < 15 && padded.charAt(from) == '0') {
            from++;
        }
        return padded.substring(from);
    }

    /** {@code 0x<guid>}, optionally followed by {@code (<port guid>)} and, with --grouping, by the chassis slot. */
    private @Nullable String guidValue(String line) throws BadInputException {
        Cursor cursor = new Cursor(line.substring(line.indexOf('=') + 1));
        String guid = cursor.take("0x") ? cursor.guid() : null;
        boolean ended = cursor.atEnd() || cursor.take(" ") || cursor.take("\t");
        if (guid != null && !ended && cursor.take("(")) {
            ended = cursor.guid() != null && cursor.take(")");
        }
        if (guid == null || !ended) {
            throw lines.bad("a GUID is expected: " + shown(line));
        }
        return isZero(guid) ? null : guid;
    }

    private void readNode(String line) throws BadInputException {
        Cursor cursor = new Cursor(line);
        Kind kind = cursor.take("Switch") ? Kind.SWITCH : cursor.take("Ca") ? Kind.ADAPTER : Kind.ROUTER;
        if (kind == Kind.ROUTER) {
            cursor.take("Rt");
        }
        cursor.skipBlanks();
        int portCount = cursor.number();
        cursor.skipBlanks();
        String guid = nodeId(cursor, kind.letter);
        if (portCount < 0 || guid == null) {
            throw lines.bad("a node line is expected to hold a number of ports and a quoted id: " + shown(line));
        }
        if (portCount > MAX_PORT) {
            throw lines.bad("a node of " + portCount + " ports; InfiniBand has at most " + MAX_PORT);
        }
        if (isZero(guid)) {
            throw lines.bad("a node whose GUID is zero");
        }
        Header above = header == null ? new Header() : header;
        header = null;
        if (above.nodeGuid != null && !above.nodeGuid.equals(guid)) {
            throw lines.bad("node " + guid + " stands under the header of " + above.nodeGuid + ": " + CUT);
        }
        cursor.skipBlanks();
        String description = null;
        int lid = 0;
        if (!cursor.atEnd()) {
            description = cursor.take("#") ? cursor.quotedToLast() : null;
            if (description == null) {
                throw lines.bad("a node line without a closed description: " + CUT);
            }
            lid = lidAmong(cursor);
        }
        Node node = new Node(kind, guid, lines.number(), portCount, above, clean(description), lid);
        if (above.chassisNumber == 0) {
            above.chassisNumber = chassisNumber;
        }
        Node known = nodes.get(guid);
        if (known == null) {
            nodes.put(guid, node);
            switches += kind == Kind.SWITCH ? 1 : 0;
            if (switches > MAX_SWITCHES || nodes.size() > MAX_NODES) {
                throw lines.bad("more than " + MAX_SWITCHES + " switches or " + MAX_NODES + " nodes");
            }
            current = node;
            return;
        }
        if (known.kind != kind || known.portCount != portCount) {
            throw lines.bad("node " + guid + " was something else on line " + known.line);
        }
        problem(lines.number(), "node " + guid + " was already described on line " + known.line);
        current = known;
    }

    private void readPort(String line) throws BadInputException {
        Node node = current;
        if (node == null) {
            throw lines.bad("a port line before any node line: " + CUT);
        }
        if (header != null) {
            throw lines.bad("a port line between the header of line " + header.line + " and its node line: " + CUT);
        }
        Cursor cursor = new Cursor(line);
        cursor.take("[");
        int port = cursor.number();
        if (port < 0 || !cursor.take("]")) {
            throw lines.bad("a port number in brackets is expected: " + shown(line));
        }
        requirePort(port, node.portCount, node.guid);
        cursor.skipExternalPort();
        String portGuid = parenthesised(cursor);
        cursor.skipBlanks();
        Kind peerKind = line.length() > 0 ? peerKind(cursor) : null;
        String peer = peerKind == null ? null : restOfId(cursor);
        if (peerKind == null || peer == null || !cursor.take("[")) {
            throw lines.bad("a port line without the far end of its cable: " + CUT);
        }
        int peerPort = cursor.number();
        if (peerPort < 0 || !cursor.take("]")) {
            throw lines.bad("a port line without the far end's port number: " + CUT);
        }
        requirePort(peerPort, MAX_PORT, peer);
        cursor.skipExternalPort();
        cursor.skipBlanks();
        parenthesised(cursor);
        cursor.skipBlanks();
        addCable(node, port, tail(cursor, peerKind, new PortPeer(peer, peerPort), portGuid));
    }

    /** What follows the far end: own LID on adapters, the far end's description, its LID, and the link's rate. */
    private Cable tail(Cursor cursor, Kind peerKind, PortPeer peer, @Nullable String portGuid)
            throws BadInputException {
        int lid = 0;
        int peerLid = 0;
        LinkRate rate = null;
        if (!cursor.atEnd()) {
            if (!cursor.take("#")) {
                throw lines.bad("a comment is expected behind the far end of the cable: " + CUT);
            }
            cursor.skipBlanks();
            if (cursor.take("lid ")) {
                lid = Math.max(cursor.number(), 0);
            }
            if (!cursor.skipQuoted()) {
                throw lines.bad("a port line without a closed description: " + CUT);
            }
            for (String word = cursor.word(); !word.isEmpty(); word = cursor.word()) {
                if (word.equals("lid")) {
                    cursor.skipBlanks();
                    peerLid = Math.max(cursor.number(), 0);
                } else if (rate == null) {
                    rate = LinkRate.parse(word);
                }
            }
        }
        if (rate == null && !lines.terminated()) {
            throw lines.bad("the last line ends before the link's rate: " + CUT);
        }
        if (rate != null && rate.bitsPerSecond() == null) {
            if (!lines.terminated()) {
                throw lines.bad("the last line ends within the link's rate: " + CUT);
            }
            problem(lines.number(), "a link rate that is not known here");
        }
        return new Cable(lines.number(), peerKind, peer, portGuid, lid, peerLid, rate);
    }

    private void addCable(Node node, int port, Cable cable) throws BadInputException {
        Cable known = node.cables.putIfAbsent(port, cable);
        if (known == null) {
            return;
        }
        if (!known.peer().equals(cable.peer())) {
            throw lines.bad("port " + port + " of " + node.guid + " had another cable on line " + known.line());
        }
        problem(lines.number(), "port " + port + " of " + node.guid + " was already described on line " + known.line());
    }

    private void requirePort(int port, int portCount, String guid) throws BadInputException {
        if (port < 1 || port > portCount) {
            throw lines.bad("port " + port + " of " + guid + " is out of range; ports are 1 to " + portCount);
        }
    }

    private static @Nullable String nodeId(Cursor cursor, char letter) {
        return cursor.take("\"" + letter + "-") ? restOfId(cursor) : null;
    }

    private static @Nullable Kind peerKind(Cursor cursor) {
        for (Kind kind : Kind.values()) {
            if (cursor.take("\"" + kind.letter + "-")) {
                return kind;
            }
        }
        return null;
    }

    private static @Nullable String restOfId(Cursor cursor) {
        String guid = cursor.guid();
        return guid != null && cursor.take("\"") ? guid : null;
    }

    private @Nullable String parenthesised(Cursor cursor) throws BadInputException {
        if (!cursor.take("(")) {
            return null;
        }
        String guid = cursor.guid();
        if (guid == null || !cursor.take(")")) {
            throw lines.bad("a port GUID in parentheses is expected: " + CUT);
        }
        return isZero(guid) ? null : guid;
    }

    private static int lidAmong(Cursor cursor) {
        for (String word = cursor.word(); !word.isEmpty(); word = cursor.word()) {
            if (word.equals("lid")) {
                cursor.skipBlanks();
                return Math.max(cursor.number(), 0);
            }
        }
        return 0;
    }

    private void problem(int line, String message) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(new Problem(line, message));
        }
    }

    /** Descriptions come off the wire: what cannot be printed becomes a blank. */
    private static @Nullable String clean(@Nullable String description) {
        if (description == null) {
            return null;
        }
        StringBuilder printable = new StringBuilder(description.length());
        description.codePoints().forEach(c -> printable.appendCodePoint(Character.isISOControl(c) ? ' ' : c));
        String stripped = printable.toString().strip();
        return stripped.isEmpty() ? null : stripped;
    }

    private static boolean isZero(String guid) {
        return guid.chars().allMatch(c -> c == '0');
    }

    private static String shown(String line) {
        String start = line.length() > 60 ? line.substring(0, 60) + "..." : line;
        StringBuilder printable = new StringBuilder(start.length());
        start.codePoints().forEach(c -> printable.appendCodePoint(c < ' ' || c > '~' ? '?' : c));
        return printable.toString();
    }
}
