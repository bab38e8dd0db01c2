/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.map;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads the maps that {@code PMIx_generate_regex} and {@code PMIx_generate_ppn} of any libpmix make:
 *
 * <pre>
 * a,b,c            raw:a,b,c                      lists
 * pmix[n[3:1-2,10],gpu[1:1]x]     pmix:n[3:1-2]   prefix [digits : ranges] suffix
 * blob: NUL component=zlib: NUL size=N: NUL bytes 4 bytes of length, then zlib or zstd
 * </pre>
 *
 * Lists of ranks may hold ranges, {@code 1-4;8,10}. What a map expands to is bounded: a few bytes can name billions.
 *
 * @see "libpmix, src/mca/preg"
 */
public final class MapReader {
    /** Nodes, or ranks, that a map may name. */
    static final int MAX_ENTRIES = 1 << 20;

    /** Characters that a map may expand to. */
    static final int MAX_CHARACTERS = 1 << 24;

    private static final String RAW = "raw:";
    private static final String NATIVE = "pmix[";
    private static final String TAGGED = "pmix:";

    private MapReader() {}

    /** A map that cannot be read: damaged, of an unknown kind, or too large. */
    public static final class MapException extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        MapException(String message) {
            super(message);
        }
    }

    /**
     * Names of the nodes in order.
     *
     * @throws MapException if it is no node map
     */
    public static List<String> nodes(byte[] map) {
        String text = text(map);
        Names names = new Names();
        if (text.startsWith(NATIVE)) {
            readNative(within(text), names);
        } else if (text.startsWith(TAGGED)) {
            readNative(unbracketed(text.substring(TAGGED.length())), names);
        } else {
            for (String name : split(plain(text), ',')) {
                names.accept(name);
            }
        }
        return names.list;
    }

    /**
     * Ranks of each node, ascending where the map says so.
     *
     * @throws MapException if it is no process map
     */
    public static List<int[]> ranks(byte[] map) {
        String text = text(map);
        String list = text.startsWith(NATIVE)
                ? within(text)
                : text.startsWith(TAGGED) ? unbracketed(text.substring(TAGGED.length())) : plain(text);
        List<int[]> nodes = new ArrayList<>();
        int room = MAX_ENTRIES;
        for (String node : split(list, ';')) {
            int[] ranks = readRanks(node, room);
            room -= ranks.length;
            nodes.add(ranks);
        }
        return nodes;
    }

    private static String text(byte[] map) {
        int length = map.length;
        if (BlobMap.isBlob(map)) {
            return BlobMap.unpack(map, MAX_CHARACTERS);
        }
        while (length > 0 && map[length - 1] == 0) {
            length--;
        }
        return new String(map, 0, length, StandardCharsets.UTF_8);
    }

    private static String plain(String text) {
        return text.startsWith(RAW) ? text.substring(RAW.length()) : text;
    }

    private static String within(String text) {
        if (!text.endsWith("]")) {
            throw new MapException("a map that starts with pmix[ ends without ]");
        }
        return text.substring(NATIVE.length(), text.length() - 1);
    }

    private static String unbracketed(String text) {
        return text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
    }

    /** At most as many parts as entries are allowed, none of them empty. */
    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        int start = 0;
        while (start <= text.length()) {
            int end = text.indexOf(separator, start);
            end = end < 0 ? text.length() : end;
            if (end == start) {
                throw new MapException("nothing between two separators at " + start);
            }
            if (parts.size() == MAX_ENTRIES) {
                throw new MapException("more than " + MAX_ENTRIES + " entries");
            }
            parts.add(text.substring(start, end));
            start = end + 1;
        }
        return parts;
    }

    private static int[] readRanks(String node, int room) {
        int[] ranks = new int[4];
        int size = 0;
        for (String range : split(node, ',')) {
            int dash = range.indexOf('-');
            int first = number(dash < 0 ? range : range.substring(0, dash));
            int last = dash < 0 ? first : number(range.substring(dash + 1));
            if (last < first || last - first >= room - size) {
                throw new MapException("range " + range + " names none or too many ranks");
            }
            for (int rank = first; rank <= last; rank++) {
                if (size == ranks.length) {
                    ranks = Arrays.copyOf(ranks, 2 * size);
                }
                ranks[size++] = rank;
            }
        }
        return Arrays.copyOf(ranks, size);
    }

    private static int number(String text) {
        int value = 0;
        for (int i = 0; i < text.length(); i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9' || value > (Integer.MAX_VALUE - 9) / 10) {
                throw new MapException("\"" + text + "\" is no number below 2^31");
            }
            value = 10 * value + digit - '0';
        }
        if (text.isEmpty()) {
            throw new MapException("a number is missing");
        }
        return value;
    }

    /** {@code prefix[digits:ranges]suffix} and plain names, separated by commas outside of brackets. */
    private static void readNative(String text, Consumer<String> names) {
        int at = 0;
        while (at <= text.length()) {
            int open = text.indexOf('[', at);
            int comma = text.indexOf(',', at);
            if (open < 0 || comma >= 0 && comma < open) {
                int end = comma < 0 ? text.length() : comma;
                names.accept(text.substring(at, end));
                at = end + 1;
                continue;
            }
            int close = text.indexOf(']', open);
            int colon = text.indexOf(':', open);
            if (close < 0 || colon < 0 || colon > close) {
                throw new MapException("no [digits:ranges] at " + open);
            }
            int next = text.indexOf(',', close);
            int end = next < 0 ? text.length() : next;
            expand(
                    text.substring(at, open),
                    number(text.substring(open + 1, colon)),
                    text.substring(colon + 1, close),
                    text.substring(close + 1, end),
                    names);
            at = end + 1;
        }
    }

    private static void expand(String prefix, int digits, String ranges, String suffix, Consumer<String> names) {
        if (digits > 19) {
            throw new MapException("numbers of " + digits + " digits");
        }
        for (int number : readRanks(ranges, MAX_ENTRIES)) {
            String text = Integer.toString(number);
            names.accept(prefix + "0".repeat(Math.max(0, digits - text.length())) + text + suffix);
        }
    }

    /** Collects names and counts what they take. */
    private static final class Names implements Consumer<String> {
        final List<String> list = new ArrayList<>();
        private int characters;

        @Override
        public void accept(String name) {
            characters += name.length();
            if (name.isEmpty()) {
                throw new MapException("an empty name after " + list.size() + " nodes");
            }
            if (list.size() == MAX_ENTRIES || characters > MAX_CHARACTERS) {
                throw new MapException("more nodes than " + MAX_ENTRIES + ", or names of more than " + MAX_CHARACTERS
                        + " characters together");
            }
            list.add(name);
        }
    }
}
