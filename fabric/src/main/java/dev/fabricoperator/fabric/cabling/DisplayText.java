/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * Names as they may be shown. Switches describe themselves, so that a name is whatever somebody has put there: markup, quotes,
 * terminal escapes, text that turns the direction of writing, any length.
 */
public final class DisplayText {
    private static final double KILO = 1_000;
    private static final List<String> UNITS = List.of("B", "kB", "MB", "GB", "TB", "PB", "EB");
    private static final int REPLACEMENT = 0xFFFD;
    private static final HexFormat HEX = HexFormat.of();

    private DisplayText() {}

    /** At most so many characters, none of which does anything but stand there. */
    public static String shown(String text, int most) {
        StringBuilder shown = new StringBuilder();
        int count = 0;
        int at = 0;
        while (at < text.length()) {
            int c = text.codePointAt(at);
            at += Character.charCount(c);
            if (++count == most && at < text.length()) {
                return shown.append('…').toString();
            }
            shown.appendCodePoint(isShown(c) ? c : Character.isWhitespace(c) ? ' ' : REPLACEMENT);
        }
        return shown.toString();
    }

    /** Lines of another program as they may be shown on a terminal: tabs and the ends of lines stay. */
    public static String lines(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(c -> shown.appendCodePoint(isShown(c) || c == '\n' || c == '\t' ? c : REPLACEMENT));
        return shown.toString();
    }

    /** Whether a character does nothing but stand there. */
    public static boolean isShown(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /** For text and attributes of XML and HTML. */
    public static String markup(String text) {
        StringBuilder escaped = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '&' -> escaped.append("&amp;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> escaped.append(c);
            }
        }
        return escaped.toString();
    }

    /** A string of JSON that may stand within an element of HTML. */
    public static String quoted(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 16).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c == '<' || c == '>' || c == '&') {
                quoted.append("\\u").append(HEX.toHexDigits(c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    /** {@code 1 switch}, {@code 2 switches}. */
    public static String count(long number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }

    /** {@code 100 MB}, as networks are sold: powers of 1,000. */
    public static String bytes(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= KILO && unit < UNITS.size() - 1) {
            value /= KILO;
            unit++;
        }
        return unit == 0
                ? bytes + " B"
                : String.format(
                        Locale.ROOT,
                        value < 10 ? "%.2f %s" : value < 100 ? "%.1f %s" : "%.0f %s",
                        value,
                        UNITS.get(unit));
    }
}
