/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.counters;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import dev.fabricoperator.fabric.cabling.DisplayText;
import dev.fabricoperator.fabric.cabling.HeapBudget;
import java.io.IOException;
import java.io.Reader;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads counters of ports from the text that Prometheus scrapes, {@code name{label="value",...} number [time]}, also in the form of OpenMetrics. Lines of other metrics
 * are passed over unread.
 *
 * <p>A value that is a number but none of things counted ({@code NaN}, infinite, negative, 2^63 and above) is passed over, and counted: exporters write such for one port that does not answer.
 *
 * <p>A text that ends within a line is refused, as it was cut, and so is one without any counter of what ports have sent. What is cut between two lines cannot be seen.
 *
 * <p>Cost: time in proportion to the text; memory for each port, within a {@link HeapBudget}.
 *
 * @see "prometheus.io, Exposition formats; OpenMetrics 1.0"
 */
public final class PrometheusReader {
    private static final int MAX_LINE = 8192;
    private static final int BYTES_OF_PORT = 280;
    private static final int BYTES_OF_SWITCH = 250;
    private static final int LONGEST_SHOWN = 40;
    private static final double END_OF_LONG = 0x1p63;
    /** Prometheus writes times in milliseconds, OpenMetrics in seconds: below this they are seconds, of up to the year 5138; as milliseconds they were of 1973. */
    private static final double LEAST_MILLIS = 1e11;

    private static final double MILLIS = 1e3;
    /** Of the year 33658. */
    private static final double MOST_MILLIS = 1e15;
    /** Of OpenMetrics, which needs no line feed behind it. */
    private static final String END = "# EOF";

    private final CounterNames names;
    private final BoundedLines lines;
    private final HeapBudget budget;
    private final Map<String, Map<String, PortCount>> switches = new LinkedHashMap<>();
    private String lastSwitch = "";
    private @Nullable String switchValue;
    private @Nullable String portValue;

    /** Of one port. What was not read is {@link #UNKNOWN}, also the time of what has none. */
    public static final class PortCount {
        public static final long UNKNOWN = -1;

        private long sent = UNKNOWN;
        private long received = UNKNOWN;
        private long waits = UNKNOWN;
        private long discards = UNKNOWN;
        private long dataMillis = UNKNOWN;
        private long othersMillis = UNKNOWN;
        private int unreadable;

        /** In octets, as the next. */
        public long sent() {
            return sent;
        }

        public long received() {
            return received;
        }

        public long waits() {
            return waits;
        }

        public long discards() {
            return discards;
        }

        /** When {@code sent} and {@code received} were read, as the text says behind them; since 1970. */
        public long dataMillis() {
            return dataMillis;
        }

        /** The same of the other two. */
        public long othersMillis() {
            return othersMillis;
        }

        /** How many of its values were none of things counted. */
        public int unreadable() {
            return unreadable;
        }
    }

    private PrometheusReader(String file, Reader text, CounterNames names) {
        this.names = names;
        this.lines = new BoundedLines(file, text, "metrics", MAX_LINE);
        this.budget = new HeapBudget(file);
    }

    /**
     * Reads one text; the caller closes it.
     *
     * @param file what to call the text in messages
     * @return ports by their label's value, by that of the switch
     * @throws BadInputException if these are no such counters, or cut
     */
    public static Map<String, Map<String, PortCount>> read(String file, Reader text, CounterNames names)
            throws IOException, BadInputException {
        return new PrometheusReader(file, text, names).read();
    }

    private Map<String, Map<String, PortCount>> read() throws IOException, BadInputException {
        boolean any = false;
        boolean whole = true;
        while (lines.advance()) {
            whole = lines.terminated() || lines.from() == lines.to() || is(END, lines.from(), lines.to());
            int start = skipBlanks(lines.from());
            int end = endOfName(start);
            String metric = metric(start, end);
            if (metric != null) {
                if (!whole) {
                    break;
                }
                readSample(metric, end);
                any |= metric.equals(names.sent());
            }
        }
        if (!whole) {
            throw lines.bad("the text ends within a line: it was cut");
        }
        if (!any) {
            throw lines.bad("no counter " + names.sent() + " up to the end: is this what the exporter calls it?");
        }
        return switches;
    }

    private int skipBlanks(int at) {
        char[] c = lines.characters();
        int i = at;
        while (i < lines.to() && (c[i] == ' ' || c[i] == '\t')) {
            i++;
        }
        return i;
    }

    private int endOfName(int at) {
        char[] c = lines.characters();
        int i = at;
        while (i < lines.to() && c[i] != '{' && c[i] != ' ' && c[i] != '\t' && c[i] != '=') {
            i++;
        }
        return i;
    }

    /** The name that is there, {@code null} for none that is wanted. */
    private @Nullable String metric(int from, int to) {
        return is(names.sent(), from, to)
                ? names.sent()
                : is(names.received(), from, to)
                        ? names.received()
                        : is(names.waits(), from, to)
                                ? names.waits()
                                : is(names.discards(), from, to) ? names.discards() : null;
    }

    private boolean is(@Nullable String text, int from, int to) {
        if (text == null || text.length() != to - from) {
            return false;
        }
        char[] c = lines.characters();
        for (int i = 0; i < text.length(); i++) {
            if (c[from + i] != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private void readSample(String metric, int behindName) throws BadInputException {
        char[] c = lines.characters();
        switchValue = names.switchLabel() == null ? names.ofSwitch() : null;
        portValue = null;
        int at = skipBlanks(behindName);
        if (at < lines.to() && c[at] == '{') {
            at = skipBlanks(readLabels(at + 1));
        }
        int end = at;
        while (end < lines.to() && c[end] != ' ' && c[end] != '\t') {
            end++;
        }
        double number = number(metric, at, end);
        boolean isCount = number >= 0 && number < END_OF_LONG;
        long value = isCount ? whole(number, at, end) : PortCount.UNKNOWN;
        long millis = millis(metric, skipBlanks(end));
        String ofSwitch = switchValue;
        String port = portValue;
        if (ofSwitch == null || port == null) {
            throw lines.bad(
                    metric + " has no label \"" + (ofSwitch == null ? names.switchLabel() : names.portLabel()) + "\"");
        }
        PortCount count = count(ofSwitch, port);
        if (!isCount) {
            count.unreadable++;
        }
        if (metric.equals(names.sent()) || metric.equals(names.received())) {
            count.dataMillis = Math.max(count.dataMillis, millis);
        } else {
            count.othersMillis = Math.max(count.othersMillis, millis);
        }
        if (metric.equals(names.sent())) {
            count.sent = octets(value);
        } else if (metric.equals(names.received())) {
            count.received = octets(value);
        } else if (metric.equals(names.waits())) {
            count.waits = value;
        } else {
            count.discards = value;
        }
    }

    private PortCount count(String ofSwitch, String port) throws BadInputException {
        Map<String, PortCount> ports = switches.get(ofSwitch);
        if (ports == null) {
            budget.spend(lines.number(), BYTES_OF_SWITCH + HeapBudget.ofText(ofSwitch));
            ports = new LinkedHashMap<>();
            switches.put(ofSwitch, ports);
        }
        PortCount count = ports.get(port);
        if (count == null) {
            budget.spend(lines.number(), BYTES_OF_PORT + HeapBudget.ofText(port));
            count = new PortCount();
            ports.put(port, count);
        }
        return count;
    }

    private long octets(long value) {
        return value == PortCount.UNKNOWN || value > Long.MAX_VALUE / names.octets()
                ? PortCount.UNKNOWN
                : value * names.octets();
    }

    /** What is there, exactly where that is written as a whole number. */
    private long whole(double number, int from, int to) {
        char[] c = lines.characters();
        for (int i = from; i < to; i++) {
            if (c[i] < '0' || c[i] > '9') {
                return (long) number;
            }
        }
        return Long.parseLong(new String(c, from, to - from));
    }

    private double number(String metric, int from, int to) throws BadInputException {
        String text = new String(lines.characters(), from, to - from);
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            // Java spells them otherwise.
            if (text.matches("(?i)nan|[+-]?inf(inity)?")) {
                return Double.NaN;
            }
        }
        throw lines.bad(metric + " is no number of things counted: \"" + DisplayText.shown(text, LONGEST_SHOWN) + "\"");
    }

    /** The time that is there, {@link PortCount#UNKNOWN} for none. */
    private long millis(String metric, int from) throws BadInputException {
        char[] c = lines.characters();
        int to = from;
        while (to < lines.to() && c[to] != ' ' && c[to] != '\t') {
            to++;
        }
        // Behind # OpenMetrics names an example.
        if (from == to || c[from] == '#') {
            return PortCount.UNKNOWN;
        }
        double time = number("the time of " + metric, from, to);
        double millis = Math.abs(time) < LEAST_MILLIS ? time * MILLIS : time;
        return millis >= 0 && millis < MOST_MILLIS ? Math.round(millis) : PortCount.UNKNOWN;
    }

    /** Behind the closing brace. */
    private int readLabels(int begin) throws BadInputException {
        char[] c = lines.characters();
        int at = skipBlanks(begin);
        while (at < lines.to() && c[at] != '}') {
            int name = at;
            int endOfName = endOfName(at);
            at = skipBlanks(endOfName);
            if (at >= lines.to() || c[at] != '=') {
                throw lines.bad("labels that are not name=\"value\", one after the other");
            }
            at = skipBlanks(at + 1);
            int end = endOfValue(at);
            if (is(names.portLabel(), name, endOfName)) {
                portValue = text(at + 1, end);
            } else if (is(names.switchLabel(), name, endOfName)) {
                // The same as in the line before, most of the time.
                if (!is(lastSwitch, at + 1, end)) {
                    lastSwitch = text(at + 1, end);
                }
                switchValue = lastSwitch;
            }
            at = skipBlanks(end + 1);
            if (at < lines.to() && c[at] == ',') {
                at = skipBlanks(at + 1);
            }
        }
        if (at >= lines.to()) {
            throw lines.bad("labels without their closing brace");
        }
        return at + 1;
    }

    /** The closing quote. */
    private int endOfValue(int at) throws BadInputException {
        char[] c = lines.characters();
        if (at < lines.to() && c[at] == '"') {
            for (int i = at + 1; i < lines.to(); i++) {
                if (c[i] == '\\') {
                    i++;
                } else if (c[i] == '"') {
                    return i;
                }
            }
        }
        throw lines.bad("a label's value without its quotes");
    }

    private String text(int from, int to) {
        char[] c = lines.characters();
        boolean escaped = false;
        for (int i = from; i < to; i++) {
            escaped |= c[i] == '\\';
        }
        if (!escaped) {
            return new String(c, from, to - from);
        }
        char[] plain = new char[to - from];
        int length = 0;
        for (int i = from; i < to; i++) {
            char each = c[i];
            if (each == '\\' && i + 1 < to) {
                i++;
                each = c[i] == 'n' ? '\n' : c[i];
            }
            plain[length++] = each;
        }
        return new String(Arrays.copyOf(plain, length));
    }
}
