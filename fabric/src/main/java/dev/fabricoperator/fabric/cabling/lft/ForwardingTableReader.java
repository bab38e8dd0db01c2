/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.lft;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import dev.fabricoperator.fabric.cabling.Cursor;
import dev.fabricoperator.fabric.cabling.HeapBudget;
import dev.fabricoperator.fabric.cabling.Problem;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Reads forwarding tables in each of the forms that sites have:
 *
 * <ul>
 *   <li>{@code dump_fts}, or {@code dump_lfts.sh} before it, and {@code ibroute} for one switch: {@code Unicast lids [0x0-0x8c] of switch Lid 3 guid 0x..
 *       (leaf-06):}, then {@code 0x0001 017 : (Channel Adapter portguid 0x..: 'node0001 mlx5_0')} for each LID, last {@code 140 valid lids dumped}
 *   <li>OpenSM's {@code opensm-lfts.dump}: {@code Unicast lids [0-140] of switch Lid 3 guid 0x.. ('leaf-06'):}, {@code 0x0001 017 # Channel Adapter
 *       portguid 0x..: '..'}, {@code 140 lids dumped}
 *   <li>OpenSM's {@code opensm.fdbs} and {@code ibdiagnet2.fdbs}: {@code dump_ucast_routes: Switch 0x..}, {@code LID : Port : Hops : Optimal}, {@code
 *       0x0001 : 017  : 03   : yes} or {@code 0x0001 : UNREACHABLE}; these do not say whose a LID is
 * </ul>
 *
 * <p>A text that was cut is refused: a table without its end sends packets nowhere that the switch does send on.
 *
 * <p>Cost: time in proportion to the text; memory a byte for each switch and LID, within a {@link HeapBudget}.
 *
 * @see "dump_fts(8), ibroute(8), opensm(8) option -D and OSM_TMP_DIR"
 */
public final class ForwardingTableReader {
    private static final int MAX_LINE = 8192;
    private static final int MAX_SWITCHES = 1 << 14;
    private static final int MAX_PROBLEMS = 1000;
    /** IBA 4.1.3: unicast LIDs are 0x0001 to 0xbfff. */
    private static final int HIGHEST_LID = 0xbfff;

    /** IBA 4.1.3: an LMC has three bits. */
    private static final int MOST_LIDS_OF_A_PORT = 1 << 7;

    private static final int BYTES_OF_TABLE = 256;
    private static final int BYTES_OF_LID = 150;
    private static final String CUT = "the dump is cut or torn";

    /** How such a text begins, for who has to tell what a text is. */
    public static final Pattern BEGINNING =
            Pattern.compile("(?m)^\\uFEFF?(Unicast lids \\[|Multicast mlids \\[|\\w*dump_ucast_routes: Switch 0x)");

    private final String file;
    private final BoundedLines lines;
    private final HeapBudget budget;
    private final Cursor cursor = new Cursor();
    private final Map<String, ForwardingTable> tables = new TreeMap<>();
    private final List<Problem> problems = new ArrayList<>();
    /** Port GUID by LID, 0 where nobody says it. */
    private long[] owners = {};

    private boolean open;
    private boolean hasEnd;
    private boolean endCounts;
    private int openedAt;
    private String openSwitch = "";
    private int rows;
    private int highest;
    private byte[] ports = {};
    /** Of the tables without an end of their own but for the last. */
    private int fewestRows = Integer.MAX_VALUE;

    private ForwardingTableReader(String file, Reader text) {
        this.file = file;
        lines = new BoundedLines(file, text, "forwarding tables", MAX_LINE);
        budget = new HeapBudget(file);
    }

    /**
     * Reads one text; the caller closes it.
     *
     * @param file what to call the text in messages
     * @throws BadInputException if these are no forwarding tables, or not whole ones
     */
    public static ForwardingTables read(String file, Reader text) throws IOException, BadInputException {
        ForwardingTableReader reader = new ForwardingTableReader(file, text);
        while (reader.lines.advance()) {
            reader.readLine();
        }
        reader.endOfText();
        return new ForwardingTables(reader.tables, reader.lidsOfPorts(), reader.problems);
    }

    private void readLine() throws BadInputException {
        cursor.reset(lines.characters(), lines.from(), lines.to());
        cursor.skipBlanks();
        if (cursor.take("0x")) {
            readRow();
        } else if (cursor.atEnd() || cursor.peek(0) == '#') {
            return;
        } else if (cursor.take("Unicast lids [")) {
            begin(true, cursor.peek(0) == '0' && cursor.peek(1) == 'x');
        } else if (cursor.take("Multicast mlids")) {
            throw lines.bad("multicast tables: let dump_fts print without -M");
        } else if (cursor.take("PLFT_NUM:")) {
            readNumberOfTable();
        } else if (cursor.take("Lid ") || cursor.take("Port ") || cursor.take("LID ")) {
            return;
        } else if (cursor.take("SubnGet(") || cursor.rest().contains("bad status")) {
            throw lines.bad("a switch did not answer, and the tool prints what it has of it once more: dump again");
        } else if (cursor.take("ibwarn:") || cursor.take("ibpanic:")) {
            problem(openSwitch, "a message of the tool among its output");
        } else if (open && hasEnd && Character.isDigit(cursor.peek(0))) {
            readEnd();
        } else if (isRoutesOfSwitch()) {
            begin(false, false);
        } else {
            throw lines.bad("not a line of forwarding tables as dump_fts, OpenSM or ibdiagnet write them");
        }
    }

    /** Of a switch with private tables, ibdiagnet writes each under a number; 0 is the one for all service levels. */
    private void readNumberOfTable() throws BadInputException {
        cursor.skipBlanks();
        if (cursor.number() != 0) {
            throw lines.bad(
                    "private forwarding tables (PLFT_NUM above 0), of which each is for some service levels, are not read");
        }
    }

    /** {@code dump_ucast_routes: Switch 0x..}, before which older programs write more of the function's name. */
    private boolean isRoutesOfSwitch() {
        String line = cursor.rest();
        int at = line.indexOf("dump_ucast_routes: Switch 0x");
        return at >= 0 && line.substring(0, at).chars().allMatch(c -> c == '_' || Character.isLetterOrDigit(c));
    }

    private void begin(boolean ends, boolean counts) throws BadInputException {
        if (open && !hasEnd) {
            fewestRows = Math.min(fewestRows, rows);
        }
        closeWithoutEnd();
        boolean found = false;
        String word = ends ? "uid 0x" : "witch 0x";
        while (!found && cursor.takeThrough(ends ? 'g' : 'S')) {
            found = cursor.take(word) && cursor.guid();
        }
        if (!found || cursor.lastGuid() == 0) {
            throw lines.bad("the heading of a table without the GUID of its switch: " + CUT);
        }
        openSwitch = HexFormat.of().toHexDigits(cursor.lastGuid());
        open = true;
        hasEnd = ends;
        endCounts = counts;
        openedAt = lines.number();
        rows = 0;
        highest = 0;
        if (ports.length > 0) {
            Arrays.fill(ports, (byte) ForwardingTable.NO_PORT);
        }
    }

    private void readRow() throws BadInputException {
        if (!open) {
            throw lines.bad("a LID before the heading of a table: " + CUT);
        }
        boolean known = cursor.guid();
        long lid = cursor.lastGuid();
        if (!known || lid < 0 || lid > HIGHEST_LID) {
            throw lines.bad("a LID from 0x0000 to 0xbfff is expected");
        }
        cursor.skipBlanks();
        if (!hasEnd && !cursor.take(':')) {
            throw lines.bad("a LID without its port: " + CUT);
        }
        cursor.skipBlanks();
        rows++;
        int port = cursor.number();
        if (port < 0 && !hasEnd && cursor.take("UNREACHABLE")) {
            return;
        }
        cursor.skipBlanks();
        if (port < 0 || port > ForwardingTable.NO_PORT || !hasEnd && !cursor.take(':')) {
            throw lines.bad("LID 0x" + HexFormat.of().toHexDigits(lid, 4) + " without a port from 0 to 255: " + CUT);
        }
        if (lid > 0 && port < ForwardingTable.NO_PORT) {
            put((int) lid, port);
            readOwner((int) lid);
        }
    }

    private void put(int lid, int port) throws BadInputException {
        if (lid >= ports.length) {
            int length = ports.length;
            ports = Arrays.copyOf(ports, Math.min(HIGHEST_LID + 1, Math.max(2 * lid, 1 << 10)));
            Arrays.fill(ports, length, ports.length, (byte) ForwardingTable.NO_PORT);
        }
        int before = Byte.toUnsignedInt(ports[lid]);
        if (before != ForwardingTable.NO_PORT && before != port) {
            throw lines.bad("LID 0x" + HexFormat.of().toHexDigits(lid, 4) + " goes to port " + port + " here, and to "
                    + before + " above, in the table of " + openSwitch);
        }
        ports[lid] = (byte) port;
        highest = Math.max(highest, lid);
    }

    /** {@code (Channel Adapter portguid 0x..: 'name')}, or {@code (path #1 out of 4: portguid 0x..)} for a further LID of a port. */
    private void readOwner(int lid) throws BadInputException {
        boolean found = false;
        while (!found && cursor.takeThrough('p')) {
            found = cursor.take("ortguid 0x");
        }
        if (!found || !cursor.guid()) {
            return;
        }
        long guid = cursor.lastGuid();
        if (lid >= owners.length) {
            owners = Arrays.copyOf(owners, Math.min(HIGHEST_LID + 1, Math.max(2 * lid, 1 << 10)));
        }
        if (owners[lid] == 0) {
            budget.spend(lines.number(), BYTES_OF_LID);
            owners[lid] = guid;
        } else if (owners[lid] != guid) {
            problem(
                    openSwitch,
                    "LID 0x" + HexFormat.of().toHexDigits(lid, 4) + " is of port "
                            + HexFormat.of().toHexDigits(guid) + " here, and of "
                            + HexFormat.of().toHexDigits(owners[lid]) + " in a table above");
        }
    }

    /** {@code 140 valid lids dumped}; OpenSM prints the highest LID there, not how many there are. */
    private void readEnd() throws BadInputException {
        int said = cursor.number();
        cursor.skipBlanks();
        cursor.take("valid ");
        if (said < 0 || !cursor.take("lids dumped")) {
            throw lines.bad("the end of a table is expected to say how many LIDs were dumped: " + CUT);
        }
        if (endCounts && said != rows) {
            throw lines.bad("the table of " + openSwitch + " ends with " + said + " LIDs, of which " + rows
                    + " stand here: " + CUT);
        }
        close();
    }

    private void closeWithoutEnd() throws BadInputException {
        if (open && hasEnd) {
            throw new BadInputException(
                    file, openedAt, "the table of " + openSwitch + " has no end (\"... lids dumped\"): " + CUT);
        }
        if (open) {
            close();
        }
    }

    private void endOfText() throws BadInputException {
        if (open && !hasEnd && !lines.terminated()) {
            throw lines.bad("the last line has no end: " + CUT);
        }
        int rowsOfLast = hasEnd ? 0 : rows;
        closeWithoutEnd();
        if (tables.isEmpty()) {
            throw lines.bad("no forwarding table in it");
        }
        // OpenSM writes a row for each LID of the subnet into each table, also for what a switch does not reach.
        if (rowsOfLast > 0 && fewestRows < Integer.MAX_VALUE && rowsOfLast < fewestRows) {
            problem(
                    openSwitch,
                    "the last table has " + rowsOfLast + " LIDs, and every other at least " + fewestRows + ": perhaps "
                            + CUT);
        }
    }

    private void close() throws BadInputException {
        open = false;
        if (tables.size() == MAX_SWITCHES) {
            throw lines.bad("tables of more than " + MAX_SWITCHES + " switches");
        }
        budget.spend(lines.number(), BYTES_OF_TABLE + (long) highest);
        byte[] own = Arrays.copyOf(ports, highest == 0 ? 0 : highest + 1);
        ForwardingTable table = new ForwardingTable(file, openedAt, openSwitch, own);
        ForwardingTable before = tables.putIfAbsent(openSwitch, table);
        if (before != null && !before.says(table)) {
            throw new BadInputException(
                    file, openedAt, "switch " + openSwitch + " has another table at line " + before.line());
        }
    }

    private void problem(String at, String message) {
        if (problems.size() < MAX_PROBLEMS) {
            problems.add(new Problem(
                    file, lines.number(), at.isEmpty() ? message : message + " (table of " + at + ")", false));
        }
    }

    private Map<String, int[]> lidsOfPorts() {
        Map<String, int[]> lids = new HashMap<>();
        for (int lid = 1; lid < owners.length; lid++) {
            if (owners[lid] != 0) {
                int one = lid;
                lids.merge(HexFormat.of().toHexDigits(owners[lid]), new int[] {one}, (known, more) -> {
                    if (known.length >= MOST_LIDS_OF_A_PORT) {
                        return known;
                    }
                    int[] both = Arrays.copyOf(known, known.length + 1);
                    both[known.length] = one;
                    return both;
                });
            }
        }
        return lids;
    }
}
