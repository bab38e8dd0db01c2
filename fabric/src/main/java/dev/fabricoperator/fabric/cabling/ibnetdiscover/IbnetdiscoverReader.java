/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.Cursor;
import dev.fabricoperator.fabric.cabling.LinkRate;
import dev.fabricoperator.fabric.cabling.NodeNameMap;
import dev.fabricoperator.fabric.cabling.Problem;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.Node.Cable;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.Node.Header;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.Node.Kind;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the output of {@code ibnetdiscover} as infiniband-diags of 2014 to 2025 prints it, with and without
 * {@code --grouping} and {@code --full}, and the list in which OpenSM writes the same subnet ({@code opensm-subnet.lst}).
 *
 * <p>A dump is used whole or not at all: torn lines, cables to nodes that have no record, and a last record without its
 * cables mean that the dump was cut, and a cut dump looks like a fabric that lost half of itself. Contradictions that a
 * fabric in motion can produce are {@link Problem}s.
 *
 * <p>Cost: time and memory in proportion to the text; memory within a {@link HeapBudget}.
 *
 * @see "ibnetdiscover(8), TOPOLOGY FILE FORMAT"
 */
public final class IbnetdiscoverReader {
    static final String SOURCE = "ibnetdiscover";

    /** A port line holds two GUIDs and a node description of at most 64 bytes; a name map may lengthen that. */
    private static final int MAX_LINE = 8192;

    private static final int MAX_PROBLEMS = 1000;
    private static final String CUT = "the dump is cut or torn";

    /** What the tool and its libraries write to standard error, often caught in the same file. */
    private static final Pattern STDERR_NOISE = Pattern.compile(
            "(?:ibwarn|ibdebug|ibnetdiscover|warn|warning|Warning)\\b.{0,16}:.*|[\\w./-]+\\.c:\\d+[;:].*");

    private final BoundedLines lines;
    private final Cursor cursor = new Cursor();
    private final Nodes nodes;
    private final List<Problem> problems = new ArrayList<>();
    private int chassisNumber;
    private @Nullable Header header;
    private @Nullable Node current;
    private String lastRateText = "";
    private @Nullable LinkRate lastRate;

    private IbnetdiscoverReader(String file, Reader text, NodeNameMap names) {
        lines = new BoundedLines(file, text, SOURCE, MAX_LINE);
        nodes = new Nodes(file, lines, names);
    }

    /**
     * Reads one dump; the caller closes {@code text}.
     *
     * @param file what to call the text in messages
     * @throws BadInputException if this is no dump, or not a whole one
     */
    public static Cabling read(String file, Reader text) throws IOException, BadInputException {
        return read(file, text, NodeNameMap.NONE);
    }

    /** As {@link #read(String, Reader)}, where the site has names for nodes. */
    public static Cabling read(String file, Reader text, NodeNameMap names) throws IOException, BadInputException {
        IbnetdiscoverReader reader = new IbnetdiscoverReader(file, text, names);
        reader.readLines();
        return new Assembly(file, reader.nodes, reader.problems, reader.lines).cabling();
    }

    private void readLines() throws IOException, BadInputException {
        while (lines.advance()) {
            if (nodes.size() == 0 && header == null && SubnetListReader.begins(lines)) {
                new SubnetListReader(lines, nodes, problem -> problem(lines.number(), problem)).readLines();
                return;
            }
            cursor.reset(lines.characters(), lines.from(), lines.to());
            readLine();
        }
        if (header != null) {
            throw lines.bad("the last record has no node line: " + CUT);
        }
    }

    private void readLine() throws BadInputException {
        if (cursor.take('[')) {
            readPort();
        } else if (cursor.atEnd() || cursor.peek(0) == '#') {
            return;
        } else if (cursor.take("vendid=")) {
            if (header != null) {
                throw lines.bad(
                        "a new record begins before the one of line " + header.line + " has a node line: " + CUT);
            }
            header().vendorId = nodes.shared(Long.toHexString(hexValue()));
        } else if (cursor.take("devid=")) {
            String id = Long.toHexString(hexValue());
            header().deviceId = nodes.shared(id.length() < 4 ? "0".repeat(4 - id.length()) + id : id);
        } else if (cursor.take("sysimgguid=")) {
            header().systemImageGuid = guidValue();
            header().chassisNumber =
                    cursor.takeThrough('#') ? chassisNumber(cursor.rest().strip()) : 0;
        } else if (cursor.take("switchguid=") || cursor.take("caguid=") || cursor.take("rtguid=")) {
            header().nodeGuid = guidValue();
        } else if (cursor.take("Switch")) {
            readNode(Kind.SWITCH);
        } else if (cursor.take("Ca")) {
            readNode(Kind.ADAPTER);
        } else if (cursor.take("Rt")) {
            readNode(Kind.ROUTER);
        } else {
            readOther(line());
        }
    }

    /** A line that stands between records. */
    private void readOther(String line) throws BadInputException {
        if (line.startsWith("Chassis ") || line.startsWith("Non-Chassis ")) {
            chassisNumber = chassisNumber(line);
        } else if (STDERR_NOISE.matcher(line).matches()) {
            problem(lines.number(), "a message of the tool among its output: " + shown());
        } else if (!line.isBlank()) {
            throw lines.bad("not a line of ibnetdiscover: " + shown());
        }
    }

    /** Of {@code Chassis 2 (guid 0x8f10400411f56)}, with --grouping; 0 for other text. */
    private static int chassisNumber(String text) {
        Cursor cursor = new Cursor();
        cursor.reset(text.toCharArray(), 0, text.length());
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

    private long hexValue() throws BadInputException {
        boolean known = cursor.take("0x") && cursor.guid();
        cursor.skipBlanks();
        if (!known || !cursor.atEnd()) {
            throw lines.bad("a hex number is expected: " + shown());
        }
        return cursor.lastGuid();
    }

    /** {@code 0x<guid>}, optionally followed by {@code (<port guid>)} and, with --grouping, by the chassis slot. */
    private long guidValue() throws BadInputException {
        boolean known = cursor.take("0x") && cursor.guid();
        long guid = cursor.lastGuid();
        boolean ended = cursor.atEnd() || cursor.take(' ') || cursor.take('\t');
        if (known && !ended && cursor.take('(')) {
            ended = cursor.guid() && cursor.take(')');
        }
        if (!known || !ended) {
            throw lines.bad("a GUID is expected: " + shown());
        }
        return guid;
    }

    /** {@code Switch\t41 "S-<guid>"\t\t# "<description>" enhanced port 0 lid 1380 lmc 0}, from the number of ports on. */
    private void readNode(Kind kind) throws BadInputException {
        cursor.skipBlanks();
        int portCount = cursor.number();
        cursor.skipBlanks();
        if (portCount < 0 || quotedId() != kind) {
            throw lines.bad("a node line is expected to hold a number of ports and a quoted id: " + shown());
        }
        long guid = cursor.lastGuid();
        Header above = header == null ? new Header() : header;
        header = null;
        if (above.nodeGuid != 0 && above.nodeGuid != guid) {
            throw lines.bad("node " + Guid.text(guid) + " stands under the header of " + Guid.text(above.nodeGuid)
                    + ": " + CUT);
        }
        cursor.skipBlanks();
        String description = null;
        int lid = 0;
        if (!cursor.atEnd()) {
            description = cursor.take('#') ? cursor.quotedToLast() : null;
            if (description == null) {
                throw lines.bad("a node line without a closed description: " + CUT);
            }
            lid = lidAmongWords();
        }
        Node known = nodes.known(kind, guid, portCount);
        if (known != null) {
            problem(lines.number(), "node " + known.id + " was already described on line " + known.line);
            current = known;
            return;
        }
        if (above.chassisNumber == 0) {
            above.chassisNumber = chassisNumber;
        }
        current = new Node(kind, guid, lines.number(), portCount, above, nodes.description(guid, description), lid);
        nodes.add(current);
    }

    /** {@code [1](<port guid>) "H-<guid>"[2](<port guid>) # lid 5 "<description>" lid 1351 4xEDR}, behind the bracket. */
    private void readPort() throws BadInputException {
        Node node = current;
        if (node == null) {
            throw lines.bad("a port line before any node line: " + CUT);
        }
        if (header != null) {
            throw lines.bad("a port line between the header of line " + header.line + " and its node line: " + CUT);
        }
        int port = cursor.number();
        if (port < 0 || !cursor.take(']')) {
            throw lines.bad("a port number in brackets is expected: " + shown());
        }
        if (port < 1 || port > node.portCount) {
            throw outOfRange(port, node.portCount, node.guid);
        }
        cursor.skipExternalPort();
        long portGuid = parenthesised();
        cursor.skipBlanks();
        Kind peerKind = quotedId();
        if (peerKind == null || !cursor.take('[')) {
            throw lines.bad("a port line without the far end of its cable: " + CUT);
        }
        long peer = cursor.lastGuid();
        int peerPort = cursor.number();
        if (peerPort < 0 || !cursor.take(']')) {
            throw lines.bad("a port line without the far end's port number: " + CUT);
        }
        if (peerPort < 1 || peerPort > Nodes.MAX_PORT) {
            throw outOfRange(peerPort, Nodes.MAX_PORT, peer);
        }
        cursor.skipExternalPort();
        cursor.skipBlanks();
        parenthesised();
        cursor.skipBlanks();
        int lid = 0;
        int peerLid = 0;
        LinkRate rate = null;
        if (!cursor.atEnd()) {
            if (!cursor.take('#')) {
                throw lines.bad("a comment is expected behind the far end of the cable: " + CUT);
            }
            cursor.skipBlanks();
            if (cursor.take("lid ")) {
                lid = Math.max(cursor.number(), 0);
            }
            if (!cursor.skipQuoted()) {
                throw lines.bad("a port line without a closed description: " + CUT);
            }
            for (int word = cursor.word(); word > 0; word = cursor.word()) {
                if (cursor.wordIs(word, "lid")) {
                    cursor.skipBlanks();
                    peerLid = Math.max(cursor.number(), 0);
                } else if (rate == null) {
                    rate = rate(word);
                }
            }
        }
        requireWhole(rate);
        addCable(node, new Cable(lines.number(), port, peerKind, peer, peerPort, portGuid, lid, peerLid, rate));
    }

    /** Most links of a fabric have the rate of the one before. */
    private @Nullable LinkRate rate(int word) {
        if (!cursor.wordIs(word, lastRateText)) {
            lastRateText = cursor.wordText(word);
            lastRate = LinkRate.parse(lastRateText);
        }
        return lastRate;
    }

    private void requireWhole(@Nullable LinkRate rate) throws BadInputException {
        if (rate == null && !lines.terminated()) {
            throw lines.bad("the last line ends before the link's rate: " + CUT);
        }
        if (rate != null && rate.bitsPerSecond() == null) {
            if (!lines.terminated()) {
                throw lines.bad("the last line ends within the link's rate: " + CUT);
            }
            problem(lines.number(), LinkRate.UNKNOWN);
        }
    }

    private void addCable(Node node, Cable cable) throws BadInputException {
        int before = nodes.addCable(node, cable);
        if (before > 0) {
            problem(
                    lines.number(),
                    "port " + cable.port + " of " + node.id + " was already described on line " + before);
        }
    }

    private BadInputException outOfRange(int port, int portCount, long guid) {
        return lines.bad("port " + port + " of " + Guid.text(guid) + " is out of range; ports are 1 to " + portCount);
    }

    /** Consumes {@code "S-<guid>"}; the GUID is the cursor's last one. */
    private @Nullable Kind quotedId() {
        Kind kind = cursor.peek(0) == '"' && cursor.peek(2) == '-' ? Kind.of(cursor.peek(1)) : null;
        if (kind == null) {
            return null;
        }
        cursor.skip(3);
        return cursor.guid() && cursor.take('"') ? kind : null;
    }

    /** Consumes a port GUID in parentheses where there is one; 0 without. */
    private long parenthesised() throws BadInputException {
        if (!cursor.take('(')) {
            return 0;
        }
        if (!cursor.guid() || !cursor.take(')')) {
            throw lines.bad("a port GUID in parentheses is expected: " + CUT);
        }
        return cursor.lastGuid();
    }

    private int lidAmongWords() {
        for (int word = cursor.word(); word > 0; word = cursor.word()) {
            if (cursor.wordIs(word, "lid")) {
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

    private String line() {
        return new String(lines.characters(), lines.from(), lines.to() - lines.from());
    }

    /** The beginning of the line, for a message. */
    private String shown() {
        String line = line();
        String start = line.length() > 60 ? line.substring(0, 60) + "..." : line;
        StringBuilder printable = new StringBuilder(start.length());
        start.codePoints().forEach(c -> printable.appendCodePoint(c < ' ' || c > '~' ? '?' : c));
        return printable.toString();
    }
}
