/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.hostgen;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text of an ibnetdiscover dump, to make from it what the tool would print after a cable was pulled.
 *
 * @param lines of the whole file
 */
public record DumpText(List<String> lines) {
    private static final Pattern NODE = Pattern.compile("^(?:Switch|Ca|Rt)\\s+\\d+\\s+\"[SHR]-([0-9a-f]{16})\".*");

    public DumpText {
        lines = List.copyOf(lines);
    }

    public static DumpText of(String text) {
        return new DumpText(text.lines().toList());
    }

    public String text() {
        return String.join("\n", lines) + "\n";
    }

    /** Without the cable between two ports. A node that has no cable left is out of the tool's sight and goes as a whole. */
    public DumpText withoutCable(String guid, int port, String peerGuid, int peerPort) {
        List<String> kept = new ArrayList<>();
        for (List<String> block : blocks()) {
            List<String> left = new ArrayList<>(block);
            if (guid.equals(nodeOf(block))) {
                left.removeIf(line -> line.startsWith("[" + port + "]"));
            }
            if (peerGuid.equals(nodeOf(block))) {
                left.removeIf(line -> line.startsWith("[" + peerPort + "]"));
            }
            boolean lostItsLast = left.size() < block.size() && left.stream().noneMatch(line -> line.startsWith("["));
            if (!lostItsLast) {
                kept.addAll(left);
            }
        }
        return new DumpText(kept);
    }

    // A block is a node's record with the blank lines behind it.
    private List<List<String>> blocks() {
        List<List<String>> blocks = new ArrayList<>();
        List<String> current = new ArrayList<>();
        boolean blankSeen = false;
        for (String line : lines) {
            if (blankSeen && !line.isBlank()) {
                blocks.add(current);
                current = new ArrayList<>();
                blankSeen = false;
            }
            blankSeen |= line.isBlank();
            current.add(line);
        }
        blocks.add(current);
        return blocks;
    }

    private static String nodeOf(List<String> block) {
        for (String line : block) {
            Matcher node = NODE.matcher(line);
            if (node.matches()) {
                return node.group(1);
            }
        }
        return "";
    }
}
