/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.counters;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import dev.fabricoperator.fabric.cabling.HeapBudget;
import java.io.IOException;
import java.io.Reader;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what {@code ibqueryerrors} prints, with {@code --counters} or {@code --data} or without: {@code Errors for 0x.. "leaf-2"}, then {@code GUID 0x.. port 3:
 * [SymbolErrorCounter == 40] [PortXmitData == 1584 (6.188KB)]} for each port of which it has something to say, and last {@code ## Summary: 2 nodes checked, 1
 * bad nodes found}. Of errors it prints those that are above a threshold, which is zero where nobody has set any; where somebody has, what is not printed is not known.
 *
 * <p>A text without its summary is refused: it was cut. Where ports have not answered, which the summary tells, the text is not complete.
 *
 * <p>Cost: time in proportion to the text; memory for each port and counter that is printed, within a {@link HeapBudget}.
 *
 * @see "ibqueryerrors(8)"
 */
public final class PortCountersReader {
    private static final int MAX_LINE = 8192;
    private static final int BYTES_OF_PORT = 250;
    private static final int BYTES_OF_COUNTER = 80;

    private static final Pattern PORT =
            Pattern.compile("\\s+GUID 0x(\\p{XDigit}{1,16}) port (ALL|\\d{1,3}):((?: \\[\\w+ == [^\\]]*\\])*)\\s*");
    private static final Pattern COUNTER = Pattern.compile("\\[(\\w+) == (\\d{1,20})[^\\]]*\\]");
    private static final Pattern HEADING = Pattern.compile("(?:Errors|Data Counters) for .*");
    private static final Pattern SUMMARY = Pattern.compile("## Summary: (\\d{1,9}) nodes checked, .*");
    /** Ports that have not answered, or thresholds of a site's file, below which nothing is printed. */
    private static final Pattern SILENT = Pattern.compile("##\\s+\\d+ PMA query failures.*|## Thresholds:\\s*\\S.*");

    private PortCountersReader() {}

    /** As {@link #read(String, Reader, Predicate)}, with all counters. */
    public static PortCounters read(String file, Reader text) throws IOException, BadInputException {
        return read(file, text, name -> true);
    }

    /**
     * Reads one text; the caller closes it.
     *
     * @param file what to call the text in messages
     * @param wanted names of counters that are kept
     * @throws BadInputException if these are no counters, or not all that the program had to say
     */
    public static PortCounters read(String file, Reader text, Predicate<String> wanted)
            throws IOException, BadInputException {
        BoundedLines lines = new BoundedLines(file, text, "counters", MAX_LINE);
        HeapBudget budget = new HeapBudget(file);
        Map<PortCounters.Port, Map<String, Long>> ports = new HashMap<>();
        int checked = 0;
        boolean complete = true;
        for (String line = lines.next(); line != null; line = lines.next()) {
            Matcher port = PORT.matcher(line);
            Matcher summary = SUMMARY.matcher(line);
            if (port.matches()) {
                if (!port.group(2).equals("ALL")) {
                    budget.spend(lines.number(), BYTES_OF_PORT);
                    String node = HexFormat.of().toHexDigits(Long.parseUnsignedLong(port.group(1), 16));
                    Map<String, Long> counters = ports.computeIfAbsent(
                            new PortCounters.Port(node, Integer.parseInt(port.group(2))), each -> new HashMap<>());
                    readCounters(port.group(3), counters, wanted, lines, budget);
                }
            } else if (summary.matches()) {
                checked = Integer.parseInt(summary.group(1));
                if (checked == 0) {
                    throw lines.bad("no node was checked: is there a subnet?");
                }
            } else if (SILENT.matcher(line).matches() || line.startsWith("ibwarn:")) {
                complete = false;
            } else if (!line.isBlank()
                    && !line.startsWith("##")
                    && !HEADING.matcher(line).matches()) {
                throw lines.bad("not a line of counters as ibqueryerrors prints them");
            }
        }
        if (checked == 0) {
            throw lines.bad("no line \"## Summary\" at the end: the counters are cut or torn");
        }
        return new PortCounters(ports, checked, complete);
    }

    private static void readCounters(
            String text, Map<String, Long> counters, Predicate<String> wanted, BoundedLines lines, HeapBudget budget)
            throws BadInputException {
        int end = 0;
        Matcher counter = COUNTER.matcher(text);
        while (counter.find()) {
            if (!text.substring(end, counter.start()).isBlank()) {
                break;
            }
            end = counter.end();
            try {
                // A counter of 64 bits whose highest bit is set is at its end.
                long value = Long.parseUnsignedLong(counter.group(2));
                if (wanted.test(counter.group(1))) {
                    budget.spend(lines.number(), BYTES_OF_COUNTER);
                    counters.put(counter.group(1).intern(), value < 0 ? Long.MAX_VALUE : value);
                }
            } catch (NumberFormatException e) {
                throw lines.bad(counter.group(1) + " is no number of 64 bits");
            }
        }
        if (!text.substring(end).isBlank()) {
            throw lines.bad("a counter without its number");
        }
    }
}
