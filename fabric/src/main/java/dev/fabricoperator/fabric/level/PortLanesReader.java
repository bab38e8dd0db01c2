/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.level;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@code smpquery sl2vl} and, behind it, {@code smpquery vlarb} print of one port of a switch. Of the mapping there is a line for each port that packets come in by; the first of another
 * port counts, for no packet leaves by the port that it came in by, and those of port 0 are the switch's own. A table of arbitration that the port has no room for is not printed, and empty here.
 *
 * @see "smpquery(8)"
 */
public final class PortLanesReader {
    private static final int MAX_LINE = 4096;
    private static final int LANES = 15;
    private static final int MOST_WEIGHT = 255;
    private static final Pattern MAPPING =
            Pattern.compile("ports: in\\s+(\\d{1,3}), out\\s+(\\d{1,3}):\\s*\\|((?:\\s*\\d{1,2}\\|){16})\\s*");
    private static final Pattern ROOM =
            Pattern.compile("# VLArbitration tables: .* LowCap (\\d{1,3}) HighCap (\\d{1,3})\\b.*");
    private static final Pattern ROW =
            Pattern.compile("(VL|WEIGHT)\\s*:\\s*\\|((?:\\s*0x\\p{XDigit}{1,2}\\s*\\|)*)\\s*");

    private PortLanesReader() {}

    /**
     * Reads one text; the caller closes it.
     *
     * @param file what to call the text in messages
     * @throws BadInputException if a table is missing, cut or no such table
     */
    public static PortLanes read(String file, Reader text) throws IOException, BadInputException {
        BoundedLines lines = new BoundedLines(file, text, "lanes", MAX_LINE);
        List<Integer> mapping = null;
        List<Integer> high = null;
        List<Integer> low = null;
        List<Integer> row = null;
        boolean isOwn = false;
        @Nullable String table = null;
        for (String line = lines.next(); line != null; line = lines.next()) {
            Matcher mapped = MAPPING.matcher(line);
            Matcher weights = ROW.matcher(line);
            Matcher room = ROOM.matcher(line);
            if (mapped.matches()) {
                // A switch of one port has no other way in.
                if ((mapping == null || isOwn) && !mapped.group(1).equals("0")) {
                    isOwn = mapped.group(1).equals(mapped.group(2));
                    mapping = numbers(mapped.group(3), 10);
                }
            } else if (room.matches()) {
                low = room.group(1).equals("0") ? List.of() : low;
                high = room.group(2).equals("0") ? List.of() : high;
            } else if (weights.matches() && table != null) {
                List<Integer> read = numbers(weights.group(2), 16);
                if (weights.group(1).equals("VL")) {
                    row = read;
                } else if (row == null || row.size() != read.size()) {
                    throw lines.bad("weights that are not one for each lane");
                } else {
                    List<Integer> sums = sums(row, read);
                    high = table.equals("high") ? sums : high;
                    low = table.equals("low") ? sums : low;
                }
            } else if (line.contains("priority VL Arbitration Table")) {
                table = line.contains("High") ? "high" : "low";
                row = null;
            } else if (!line.isBlank() && !line.startsWith("#")) {
                throw lines.bad("not a line of lanes as smpquery prints them");
            }
        }
        if (mapping == null || Collections.max(mapping) > PortLanes.NO_LANE) {
            throw lines.bad("no line \"ports: in 1, out 1: | 0| 1|...\" with 16 lanes from 0 to 15");
        }
        if (high == null || low == null) {
            throw lines.bad("no table of high, or of low priority");
        }
        return new PortLanes(mapping, high, low);
    }

    /** A lane may stand there several times. */
    private static List<Integer> sums(List<Integer> lanes, List<Integer> weights) {
        List<Integer> sums = new ArrayList<>(Collections.nCopies(LANES, 0));
        for (int at = 0; at < lanes.size(); at++) {
            int lane = lanes.get(at);
            if (lane < LANES && weights.get(at) <= MOST_WEIGHT) {
                sums.set(lane, sums.get(lane) + weights.get(at));
            }
        }
        return sums;
    }

    private static List<Integer> numbers(String row, int radix) {
        List<Integer> numbers = new ArrayList<>();
        for (String cell : row.split("\\|", -1)) {
            String digits = cell.strip().replace("0x", "");
            if (!digits.isEmpty()) {
                numbers.add(Integer.parseInt(digits, radix));
            }
        }
        return numbers;
    }
}
