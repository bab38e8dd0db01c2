/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.ibnetdiscover;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import dev.fabricoperator.fabric.cabling.LinkRate;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.Node.Cable;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.Node.Header;
import dev.fabricoperator.fabric.cabling.ibnetdiscover.Node.Kind;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code opensm-subnet.lst}, in which OpenSM writes the same subnet that {@code ibnetdiscover} sweeps: a line for each end of each link,
 *
 * <pre>{ SW Ports:28 SystemGUID:.. NodeGUID:.. PortGUID:.. VenID:.. DevID:.. Rev:.. {description} LID:0002 PN:01 } { CA .. } PHY=4x LOG=ACT SPD=50</pre>
 *
 * <p>with numbers in hex, PHY the lanes and SPD the gigabits per second of one lane, which OpenSM before 3.3 leaves out. Each link stands there from both
 * ends, for it is written from tables that nothing changes meanwhile: one that does not means that the list was cut.
 *
 * @see "opensm(8), ENVIRONMENT VARIABLES, OSM_TMP_DIR; option -D 0x10 or routing of the subnet dumped with signal HUP"
 */
final class SubnetListReader {
    private static final String HEX = "\\p{XDigit}";
    private static final String END =
            "\\{ (CA|SW|R)[A-Za-z-]*+ +Ports:(" + HEX + "{1,2}) SystemGUID:(" + HEX + "{1,16}) NodeGUID:(" + HEX
                    + "{1,16}) PortGUID:(" + HEX + "{1,16}) VenID:(" + HEX + "{1,8}) DevID:(" + HEX + "{1,8}) Rev:"
                    + HEX + "{1,8} \\{(.*?)\\} LID:(" + HEX
                    + "{1,4}) PN:(" + HEX + "{1,2}) \\}";
    private static final Pattern LINE =
            Pattern.compile(END + " +" + END + " +PHY=(\\S++) +LOG=(\\S++)(?: +SPD=(\\S++))?\\s*+");
    private static final int GROUPS_OF_END = 10;
    private static final int PHY = 2 * GROUPS_OF_END + 1;
    private static final int SPEED = PHY + 2;

    private final BoundedLines lines;
    private final Nodes nodes;
    private final Consumer<String> problems;

    /** @param problems gets what is wrong with the line that is being read, and no reason to refuse the list */
    SubnetListReader(BoundedLines lines, Nodes nodes, Consumer<String> problems) {
        this.lines = lines;
        this.nodes = nodes;
        this.problems = problems;
    }

    /** Whether the line to which {@code lines} has gone is the first of such a list. */
    static boolean begins(BoundedLines lines) {
        return lines.from() < lines.to() && lines.characters()[lines.from()] == '{';
    }

    /** Reads from the line on to which {@code lines} has gone. */
    void readLines() throws IOException, BadInputException {
        do {
            String line = new String(lines.characters(), lines.from(), lines.to() - lines.from());
            if (!line.isBlank() && !line.startsWith("#")) {
                readLine(line);
            }
        } while (lines.advance());
        for (Node node : nodes.inOrder()) {
            for (int i = 0; i < node.cables(); i++) {
                requireOtherEnd(node, node.cable(i));
            }
        }
    }

    private void readLine(String line) throws BadInputException {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            throw lines.bad(
                    line.startsWith("{ ")
                            ? "a line of OpenSM's list of links that is not whole: the list is cut or torn"
                            : "not a line of OpenSM's list of links");
        }
        Node near = node(matcher, 0);
        Node far = node(matcher, GROUPS_OF_END);
        int port = port(matcher, 0, near);
        int farPort = port(matcher, GROUPS_OF_END, far);
        if (port == 0 || farPort == 0) {
            // Port 0 of a switch is the switch's own, which no cable leads to.
            return;
        }
        Cable cable = new Cable(
                lines.number(),
                port,
                far.kind,
                far.guid,
                farPort,
                near.kind == Kind.SWITCH ? 0 : hex(matcher, 5),
                (int) hex(matcher, 9),
                (int) hex(matcher, GROUPS_OF_END + 9),
                rate(matcher.group(PHY), matcher.group(SPEED)));
        int before = nodes.addCable(near, cable);
        if (before > 0) {
            problems.accept("port " + port + " of " + near.id + " was already described on line " + before);
        }
    }

    private Node node(Matcher matcher, int before) throws BadInputException {
        Kind kind = switch (matcher.group(before + 1)) {
            case "SW" -> Kind.SWITCH;
            case "CA" -> Kind.ADAPTER;
            default -> Kind.ROUTER;
        };
        long guid = hex(matcher, before + 4);
        int ports = (int) hex(matcher, before + 2);
        Node known = nodes.known(kind, guid, ports);
        if (known != null) {
            return known;
        }
        Header header = new Header();
        header.vendorId = nodes.shared(Long.toHexString(hex(matcher, before + 6)));
        header.deviceId = nodes.shared(deviceId(hex(matcher, before + 7)));
        header.systemImageGuid = hex(matcher, before + 3);
        Node node = new Node(
                kind,
                guid,
                lines.number(),
                ports,
                header,
                nodes.description(guid, matcher.group(before + 8)),
                kind == Kind.SWITCH ? (int) hex(matcher, before + 9) : 0);
        nodes.add(node);
        return node;
    }

    /** Four digits; the far end's stand in the upper half of eight. */
    private static String deviceId(long value) {
        return String.format("%04x", value > 0xffff ? value >>> 16 : value);
    }

    private int port(Matcher matcher, int before, Node node) throws BadInputException {
        int port = (int) hex(matcher, before + 10);
        if (port > node.portCount) {
            throw lines.bad("port " + port + " of " + node.id + ", which has " + node.portCount);
        }
        return port;
    }

    private static long hex(Matcher matcher, int group) {
        return Long.parseUnsignedLong(matcher.group(group), 16);
    }

    /** {@code null} for a link whose lanes are not said. */
    private @Nullable LinkRate rate(String lanes, @Nullable String gigabitsPerLane) {
        LinkRate rate = gigabitsPerLane == null ? null : LinkRate.of(lanes, gigabitsPerLane);
        if (gigabitsPerLane != null && (rate == null || rate.bitsPerSecond() == null)) {
            problems.accept(LinkRate.UNKNOWN);
        }
        return rate;
    }

    private void requireOtherEnd(Node node, Cable cable) throws BadInputException {
        Node far = nodes.get(cable.peer);
        Cable back = far == null ? null : far.cableAt(cable.peerPort);
        if (back == null || !back.leadsTo(node.guid, cable.port)) {
            throw nodes.bad(
                    cable.line,
                    "a link that stands here from one end only; OpenSM writes both: the list is cut or torn");
        }
    }
}
