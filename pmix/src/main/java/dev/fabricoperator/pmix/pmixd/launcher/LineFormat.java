/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.launcher;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Lines of words with percent signs for what would break a line. */
public final class LineFormat {
    private static final String HEX = "0123456789ABCDEF";

    private LineFormat() {}

    /** The parts between separators; none of an empty text. */
    public static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        int from = 0;
        while (from < text.length()) {
            int to = text.indexOf(separator, from);
            to = to < 0 ? text.length() : to;
            parts.add(text.substring(from, to));
            from = to + 1;
        }
        return parts;
    }

    static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%' || c < ' ') {
                escaped.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }

    /** @throws IllegalArgumentException for a percent sign that no two hex digits follow */
    static String unescape(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream plain = new ByteArrayOutputStream(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != '%') {
                plain.write(bytes[i]);
            } else {
                int high = i + 2 < bytes.length ? Character.digit(bytes[i + 1], 16) : -1;
                int low = i + 2 < bytes.length ? Character.digit(bytes[i + 2], 16) : -1;
                if (high < 0 || low < 0) {
                    throw new IllegalArgumentException("a bad escape");
                }
                plain.write(high * 16 + low);
                i += 2;
            }
        }
        return plain.toString(StandardCharsets.UTF_8);
    }
}
