/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.slurm;

import dev.fabricoperator.fabric.cabling.BadInputException;
import dev.fabricoperator.fabric.cabling.BoundedLines;
import dev.fabricoperator.fabric.cabling.Cabling;
import dev.fabricoperator.fabric.cabling.CablingCollector;
import java.io.IOException;
import java.io.Reader;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads Slurm's {@code topology.conf}: {@code SwitchName=} with {@code Switches=}, {@code Nodes=} and {@code LinkSpeed=},
 * {@code BlockName=} with {@code Nodes=}. Keys in any case, {@code #} begins a comment, a backslash at its end continues
 * a line. {@code LinkSpeed} has no unit in Slurm, which does not use it, and is not read.
 *
 * <p>Cost: time and memory in proportion to the text and to the names that its host lists stand for, at most 2^18.
 *
 * @see "topology.conf(5)"
 */
public final class SlurmConfReader {
    private static final int MAX_LINE = 1 << 20;

    private final BoundedLines lines;
    private final SlurmTree tree;

    private SlurmConfReader(String file, Reader text) {
        lines = new BoundedLines(file, text, "topology.conf", MAX_LINE);
        tree = new SlurmTree(file);
    }

    /**
     * Reads one file; the caller closes {@code text}.
     *
     * @param file what to call the text in messages
     * @throws BadInputException if this is no such file, or contradicts itself
     */
    public static Cabling read(String file, Reader text) throws IOException, BadInputException {
        SlurmConfReader reader = new SlurmConfReader(file, text);
        StringBuilder whole = new StringBuilder();
        int begun = 1;
        for (String line = reader.lines.next(); line != null; line = reader.lines.next()) {
            int comment = line.indexOf('#');
            String plain = (comment < 0 ? line : line.substring(0, comment)).stripTrailing();
            begun = whole.isEmpty() ? reader.lines.number() : begun;
            boolean continues = plain.endsWith("\\");
            whole.append(continues ? plain.substring(0, plain.length() - 1) : plain);
            if (whole.length() > MAX_LINE) {
                throw reader.lines.bad("lines joined to more than " + MAX_LINE + " characters");
            }
            if (!continues) {
                reader.readLine(begun, whole.toString());
                whole.setLength(0);
            }
        }
        reader.readLine(begun, whole.toString());
        return reader.tree.cabling(reader.lines.number());
    }

    private void readLine(int number, String line) throws BadInputException {
        if (line.isBlank()) {
            return;
        }
        Map<String, String> pairs = pairs(number, line);
        String name = pairs.remove("switchname");
        String block = pairs.remove("blockname");
        if (name == null && block == null) {
            if (pairs.remove("blocksizes") == null) {
                throw tree.bad(number, "neither SwitchName= nor BlockName=: " + CablingCollector.printable(line));
            }
            return;
        }
        if (name != null && block != null) {
            throw tree.bad(number, "both SwitchName= and BlockName=");
        }
        @Nullable String switches = pairs.remove("switches");
        @Nullable String nodes = pairs.remove("nodes");
        pairs.remove("linkspeed");
        for (String key : pairs.keySet()) {
            tree.problem(number, "key " + CablingCollector.printable(key) + " is not read");
        }
        tree.add(number, name != null ? name : String.valueOf(block), switches, nodes, null);
    }

    private Map<String, String> pairs(int number, String line) throws BadInputException {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String word : line.strip().split("[ \t]+")) {
            int equals = word.indexOf('=');
            if (equals < 1) {
                throw tree.bad(number, "not Key=value: " + CablingCollector.printable(word));
            }
            String key = word.substring(0, equals).toLowerCase(Locale.ROOT);
            if (pairs.put(key, word.substring(equals + 1)) != null) {
                throw tree.bad(number, "key " + CablingCollector.printable(key) + " is there twice");
            }
        }
        return pairs;
    }
}
