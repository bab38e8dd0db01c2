/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.slurm;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import dev.fabricoperator.fabric.cabling.TextsBeside;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads Slurm's {@code topology.conf}: {@code SwitchName=} with {@code Switches=}, {@code Nodes=} and {@code LinkSpeed=},
 * {@code BlockName=} with {@code Nodes=}. Keys in any case, with blanks around the equals sign and values in quotes as may
 * be; {@code #} begins a comment, a backslash at its end continues a line, {@code Include FILE} stands for the lines of another file. What {@code scontrol show topology} prints is
 * the same with a {@code Level}, where the nodes of a switch above others are all that are below, and its own. {@code LinkSpeed} has no unit in Slurm, which does not use it, and is not read.
 *
 * <p>Cost: time and memory in proportion to the text and to the names that its host lists stand for, at most 2^18. Texts that are included are at most 8
 * deep and 1,024.
 *
 * @see "topology.conf(5), slurm.conf(5) of Include"
 */
public final class SlurmConfReader {
    private static final int MAX_LINE = 1 << 20;
    private static final int MAX_DEPTH = 8;
    private static final int MAX_INCLUDED = 1 << 10;
    private static final Pattern INCLUDE = Pattern.compile("(?i)include\\s+(\\S.*)");

    private static final Pattern LEVEL = Pattern.compile("[0-9]{1,4}");

    /** What scontrol shows of a block and no configuration has. */
    private static final List<String> SHOWN = List.of("blockindex", "blocksize");

    private final TextsBeside others;
    private final SlurmTree tree;

    /** Names of the texts that are being read, the outermost first. */
    private final Deque<String> open = new ArrayDeque<>();

    private int included;

    /** Line of the outermost text that stands for what is being read. */
    private int place;

    /** Lines of the texts before the outermost. */
    private final int before;

    private SlurmConfReader(SlurmTree tree, int before, TextsBeside others) {
        this.tree = tree;
        this.before = before;
        this.others = others;
    }

    /** As {@link #read(String, Reader, TextsBeside)}; what it includes is left out, with a problem. */
    public static Cabling read(String file, Reader text) throws IOException, BadInputException {
        return read(file, text, TextsBeside.NONE);
    }

    /**
     * Reads one file with what it includes; the caller closes {@code text}.
     *
     * @param file what to call the text in messages
     * @throws BadInputException if this is no such file, or contradicts itself
     */
    public static Cabling read(String file, Reader text, TextsBeside others) throws IOException, BadInputException {
        SlurmTree tree = new SlurmTree(file);
        return tree.cabling(add(tree, file, text, 0, others));
    }

    /**
     * As {@link #read(String, Reader, TextsBeside)}, into a tree of which others may say more.
     *
     * @param before lines of the tree's texts before this one
     * @return the number of its lines
     */
    static int add(SlurmTree tree, String file, Reader text, int before, TextsBeside others)
            throws IOException, BadInputException {
        return new SlurmConfReader(tree, before, others).readText(file, text);
    }

    /** Returns the number of its lines. */
    private int readText(String file, Reader text) throws IOException, BadInputException {
        BoundedLines lines = new BoundedLines(file, text, "topology.conf", MAX_LINE);
        open.addLast(file);
        StringBuilder whole = new StringBuilder();
        int begun = 1;
        for (String line = lines.next(); line != null; line = lines.next()) {
            int comment = line.indexOf('#');
            String plain = (comment < 0 ? line : line.substring(0, comment)).stripTrailing();
            begun = whole.isEmpty() ? lines.number() : begun;
            boolean continues = plain.endsWith("\\");
            whole.append(continues ? plain.substring(0, plain.length() - 1) : plain);
            if (whole.length() > MAX_LINE) {
                throw lines.bad("lines joined to more than " + MAX_LINE + " characters");
            }
            if (!continues) {
                readJoined(begun, whole.toString());
                whole.setLength(0);
            }
        }
        readJoined(begun, whole.toString());
        open.removeLast();
        return lines.number();
    }

    private void readJoined(int number, String line) throws IOException, BadInputException {
        place = open.size() == 1 ? before + number : place;
        Matcher include = INCLUDE.matcher(line.strip());
        if (include.matches()) {
            include(number, include.group(1));
            return;
        }
        readLine(number, line);
    }

    private void include(int number, String name) throws IOException, BadInputException {
        String shown = "Include " + CablingCollector.printable(name);
        if (open.size() > MAX_DEPTH || included++ == MAX_INCLUDED) {
            throw bad(
                    number, shown + ": more than " + MAX_DEPTH + " within one another, or " + MAX_INCLUDED + " in all");
        }
        TextsBeside.IncludedText text;
        try {
            text = others.open(name);
        } catch (TextsBeside.NotFollowedException e) {
            problem(number, shown + " is not followed: " + e.getMessage());
            return;
        } catch (IOException e) {
            throw bad(number, shown + ": " + e.getMessage());
        }
        try (Reader lines = text.text()) {
            if (open.contains(text.file())) {
                throw bad(number, shown + ": that file includes this one, so that it has no end");
            }
            readText(text.file(), lines);
        }
    }

    private BadInputException bad(int number, String wrong) {
        return new BadInputException(open.getLast(), number, wrong);
    }

    /** Problems have lines of the outermost text. */
    private void problem(int number, String message) {
        tree.problem(place, open.size() == 1 ? message : open.getLast() + ":" + number + ": " + message);
    }

    private void readLine(int number, String line) throws BadInputException {
        if (line.isBlank()) {
            return;
        }
        Map<String, String> pairs = pairs(number, line);
        String name = pairs.remove("switchname");
        String block = pairs.remove("blockname");
        if (name == null && block == null) {
            // scontrol shows blocks of blocks, too, whose nodes are those of the blocks before.
            if (pairs.remove("blocksizes") == null && pairs.remove("aggregatedblock") == null) {
                throw bad(number, "neither SwitchName= nor BlockName=: " + CablingCollector.printable(line));
            }
            return;
        }
        if (name != null && block != null) {
            throw bad(number, "both SwitchName= and BlockName=");
        }
        // scontrol's word for none.
        pairs.values().removeIf("(null)"::equals);
        @Nullable String switches = pairs.remove("switches");
        @Nullable String nodes = pairs.remove("nodes");
        pairs.remove("linkspeed");
        String level = pairs.remove("level");
        if (level != null && nodes != null && name != null && switches != null && !switches.isEmpty()) {
            // scontrol show topology lists the nodes below a switch at each level.
            tree.addShown(place, level(number, level), name, nodes);
            nodes = null;
        }
        SHOWN.forEach(pairs::remove);
        for (String key : pairs.keySet()) {
            problem(number, "key " + CablingCollector.printable(key) + " is not read");
        }
        try {
            tree.add(place, name != null ? name : String.valueOf(block), switches, nodes, null);
        } catch (BadInputException e) {
            throw bad(number, e.wrong());
        }
    }

    private int level(int number, String text) throws BadInputException {
        if (!LEVEL.matcher(text).matches()) {
            throw bad(number, "not a level: " + CablingCollector.printable(text));
        }
        return Integer.parseInt(text);
    }

    /** {@code Key=value} or {@code Key = "value"}, as Slurm's parser has it: no value has a blank that is not in quotes. */
    private Map<String, String> pairs(int number, String line) throws BadInputException {
        Map<String, String> pairs = new LinkedHashMap<>();
        int at = skipBlanks(line, 0);
        while (at < line.length()) {
            int equals = line.indexOf('=', at);
            String key = equals < 0 ? "" : line.substring(at, equals).strip();
            if (key.isEmpty() || key.indexOf(' ') >= 0 || key.indexOf('\t') >= 0 || key.indexOf('"') >= 0) {
                throw bad(number, "not Key=value: " + CablingCollector.printable(word(line, at)));
            }
            int from = skipBlanks(line, equals + 1);
            boolean quoted = from < line.length() && line.charAt(from) == '"';
            int end = quoted
                    ? line.indexOf('"', from + 1)
                    : from + word(line, from).length();
            if (end < 0) {
                throw bad(number, "a quotation mark is not closed: " + CablingCollector.printable(line.substring(at)));
            }
            String value = line.substring(quoted ? from + 1 : from, end).strip();
            if (value.indexOf('"') >= 0) {
                throw bad(number, "a quotation mark within a value: " + CablingCollector.printable(value));
            }
            if (pairs.put(key.toLowerCase(Locale.ROOT), value) != null) {
                throw bad(
                        number, "key " + CablingCollector.printable(key.toLowerCase(Locale.ROOT)) + " is there twice");
            }
            at = skipBlanks(line, quoted ? end + 1 : end);
        }
        return pairs;
    }

    private static int skipBlanks(String line, int from) {
        int at = from;
        while (at < line.length() && Character.isWhitespace(line.charAt(at))) {
            at++;
        }
        return at;
    }

    /** What stands before the next blank. */
    private static String word(String line, int from) {
        int end = from;
        while (end < line.length() && !Character.isWhitespace(line.charAt(end))) {
            end++;
        }
        return line.substring(from, end);
    }
}
