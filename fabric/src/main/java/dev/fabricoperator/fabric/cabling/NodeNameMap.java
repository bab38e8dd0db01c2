/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.io.IOException;
import java.io.Reader;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a site calls the nodes of a subnet, instead of what they call themselves: a line {@code 0x0008f10400411f6c "leaf-01"} for each.
 *
 * @see "opensm(8), node-name-map; ibnetdiscover(8), NODE NAME MAP FILE FORMAT"
 */
public final class NodeNameMap {
    public static final NodeNameMap NONE = new NodeNameMap(Map.of());

    private static final int MAX_LINE = 1024;
    private static final int MAX_NODES = 1 << 18;
    private static final int BYTES_OF_NAME = 80;

    private final Map<Long, String> names;

    private NodeNameMap(Map<Long, String> names) {
        this.names = names;
    }

    /**
     * Reads a whole map; the caller closes {@code text}.
     *
     * @param file what to call the text in messages
     * @throws BadInputException for a line that is no GUID with a name, or a second name for a node
     */
    public static NodeNameMap read(String file, Reader text) throws IOException, BadInputException {
        BoundedLines lines = new BoundedLines(file, text, "node name map", MAX_LINE);
        HeapBudget budget = new HeapBudget(file);
        Map<Long, String> names = new HashMap<>();
        for (String line = lines.next(); line != null; line = lines.next()) {
            String words = line.strip();
            if (words.isEmpty() || words.startsWith("#")) {
                continue;
            }
            int end = 0;
            while (end < words.length() && !Character.isWhitespace(words.charAt(end))) {
                end++;
            }
            String guid = NodeId.guid(padded(words.substring(0, end)));
            String name = unquoted(words.substring(end).strip());
            if (guid == null || name == null) {
                throw lines.bad("not a GUID and a name in quotes, such as 0x0008f10400411f6c \"leaf-01\"");
            }
            if (name.length() > NodeId.MAX_LENGTH) {
                throw lines.bad("the name of " + guid + " has more than " + NodeId.MAX_LENGTH + " characters");
            }
            budget.spend(lines.number(), BYTES_OF_NAME + HeapBudget.ofText(name));
            String before = names.put(Long.parseUnsignedLong(guid, 16), name);
            if (before != null && !before.equals(name)) {
                throw lines.bad(guid + " is called '" + name + "' here, and '" + before + "' above");
            }
            if (names.size() > MAX_NODES) {
                throw lines.bad("names for more than " + MAX_NODES + " nodes");
            }
        }
        return new NodeNameMap(names);
    }

    /** Tools read the GUID as a number, which may be written without its leading zeros. */
    private static String padded(String guid) {
        String digits = guid.startsWith("0x") || guid.startsWith("0X") ? guid.substring(2) : guid;
        return digits.length() < 16 ? "0".repeat(16 - digits.length()) + digits : digits;
    }

    /** A comment may follow the quotes. {@code null} for no name. */
    private static @Nullable String unquoted(String text) {
        if (!text.startsWith("\"")) {
            return text.isEmpty() || text.indexOf('"') >= 0 ? null : text;
        }
        int end = text.indexOf('"', 1);
        return end <= 1 ? null : text.substring(1, end);
    }

    public boolean isEmpty() {
        return names.isEmpty();
    }

    /** {@code null} for a node that keeps its own description. */
    public @Nullable String of(long guid) {
        return names.isEmpty() ? null : names.get(guid);
    }
}
