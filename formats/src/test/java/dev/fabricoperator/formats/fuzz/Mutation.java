/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Damages a text in the ways in which files are damaged, and in those in which somebody would on purpose. */
final class Mutation {
    private static final String[] NUMBERS = {
        "0",
        "-1",
        "1",
        "65535",
        "65536",
        "2147483648",
        "9999999999",
        "18446744073709551616",
        "1e309",
        "0x",
        "00000000000000000000001"
    };
    private static final String[] WORDS = {
        "[",
        "]",
        "{",
        "}",
        "\"",
        "'",
        ",",
        ":",
        "=",
        "#",
        "\\",
        "&a",
        "*a",
        "<<: *a",
        "!!binary",
        "---",
        "...",
        "%YAML 9.9",
        "|",
        ">",
        "null",
        "true",
        "NaN",
        "n[0-99999999]",
        "n[1-9999][1-9999][1-9999]",
        "n[1-",
        "[1-3]",
        "\t",
        "\r",
        "\r\n",
        "\u0085",
        "\u2028",
        "\ufeff",
        "\ud83d\ude00",
        "\\ud800",
        "\\u0000",
        "switch:",
        "device:",
        "a/b",
        "/",
        "S-0002c90200417670",
        "Switch 36",
        "Ca 2",
        "(0002c90200417670)",
        "4xHDR",
        "lid 65536",
        "SwitchName=",
        "Switches=",
        "Nodes=",
        "lldp.eth0.",
        "\"ports\":",
        "\"interface\":"
    };
    private static final int MAX_REPEATS = 64;
    private static final int DEEPEST = 20_000;
    private static final int LONGEST_WORD = 100_000;

    private final SplittableRandom random;

    Mutation(long seed) {
        random = new SplittableRandom(seed);
    }

    byte[] of(byte[] seed) {
        byte[] text = seed;
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            text = once(text);
        }
        return text;
    }

    /** Mostly short: the long ones take most of the time. */
    private int length(int longest) {
        return random.nextInt(random.nextInt(16) == 0 ? longest : longest / 100);
    }

    private byte[] once(byte[] text) {
        int at = random.nextInt(text.length + 1);
        return switch (random.nextInt(14)) {
            case 0 -> flip(text);
            case 1 -> Arrays.copyOf(text, at);
            case 2 -> Arrays.copyOfRange(text, at, text.length);
            case 3 -> insert(text, at, bytes(WORDS[random.nextInt(WORDS.length)]));
            case 4 -> number(text);
            case 5 -> repeatLines(text);
            case 6 -> swapLines(text);
            case 7 -> swapWords(text);
            case 8 ->
                insert(
                        text,
                        at,
                        bytes(new String[] {"[", "{\"a\":", "(", "- ", "{", "[{", "? "}
                                [random.nextInt(7)].repeat(length(DEEPEST))));
            case 9 -> insert(text, at, bytes("a".repeat(length(LONGEST_WORD))));
            case 10 -> insert(text, at, new byte[1 + random.nextInt(3)]);
            case 11 -> insert(text, at, new byte[] {(byte) 0xff, (byte) 0xc3, (byte) 0xed, (byte) 0xa0, (byte) 0x80});
            case 12 -> insert(text, at, Arrays.copyOfRange(text, at, Math.min(text.length, at + random.nextInt(2000))));
            default -> removeLine(text);
        };
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private byte[] flip(byte[] text) {
        byte[] flipped = text.clone();
        for (int i = random.nextInt(8); i >= 0 && text.length > 0; i--) {
            flipped[random.nextInt(text.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return flipped;
    }

    private static byte[] insert(byte[] text, int at, byte[] more) {
        byte[] longer = Arrays.copyOf(text, text.length + more.length);
        System.arraycopy(more, 0, longer, at, more.length);
        System.arraycopy(text, at, longer, at + more.length, text.length - at);
        return longer;
    }

    private byte[] number(byte[] text) {
        int from = text.length == 0 ? 0 : random.nextInt(text.length);
        while (from < text.length && (text[from] < '0' || text[from] > '9')) {
            from++;
        }
        int to = from;
        while (to < text.length && text[to] >= '0' && text[to] <= '9') {
            to++;
        }
        byte[] without = Arrays.copyOf(text, text.length - (to - from));
        System.arraycopy(text, to, without, from, text.length - to);
        return insert(without, from, bytes(NUMBERS[random.nextInt(NUMBERS.length)]));
    }

    private static List<String> lines(byte[] text) {
        return split(text, (before, after) -> before == '\n');
    }

    private interface Boundary {
        boolean isBetween(char before, char after);
    }

    /** By hand, since expressions that look back take longer than what reads the text afterwards. */
    private static List<String> split(byte[] text, Boundary boundary) {
        String whole = new String(text, StandardCharsets.ISO_8859_1);
        List<String> parts = new ArrayList<>();
        int from = 0;
        for (int at = 1; at < whole.length(); at++) {
            if (boundary.isBetween(whole.charAt(at - 1), whole.charAt(at))) {
                parts.add(whole.substring(from, at));
                from = at;
            }
        }
        parts.add(whole.substring(from));
        return parts;
    }

    private static boolean isOfWord(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_';
    }

    private static byte[] joined(List<String> lines) {
        return String.join("", lines).getBytes(StandardCharsets.ISO_8859_1);
    }

    private byte[] repeatLines(byte[] text) {
        List<String> lines = lines(text);
        int from = random.nextInt(lines.size());
        List<String> some = List.copyOf(lines.subList(from, Math.min(lines.size(), from + 1 + random.nextInt(20))));
        int repeats = text.length > 1_000_000 ? 1 : 1 + random.nextInt(random.nextInt(16) == 0 ? MAX_REPEATS : 4);
        for (int i = 0; i < repeats; i++) {
            lines.addAll(from, some);
        }
        return joined(lines);
    }

    private byte[] swapLines(byte[] text) {
        List<String> lines = lines(text);
        java.util.Collections.swap(lines, random.nextInt(lines.size()), random.nextInt(lines.size()));
        return joined(lines);
    }

    private byte[] removeLine(byte[] text) {
        List<String> lines = lines(text);
        lines.remove(random.nextInt(lines.size()));
        return joined(lines);
    }

    private byte[] swapWords(byte[] text) {
        List<String> words = split(text, (before, after) -> !isOfWord(before) || !isOfWord(after));
        for (int i = random.nextInt(4); i >= 0; i--) {
            java.util.Collections.swap(words, random.nextInt(words.size()), random.nextInt(words.size()));
        }
        return joined(words);
    }
}
