/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling.cables;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fields of one line of comma-separated values (RFC 4180), each without the blanks around it. */
final class CsvLine {
    private CsvLine() {}

    /** {@code null} for a quoted field that does not end on the line, or that text follows. */
    static @Nullable List<String> fields(String line) {
        List<String> fields = new ArrayList<>(6);
        int at = 0;
        while (true) {
            int start = at;
            while (start < line.length() && line.charAt(start) <= ' ') {
                start++;
            }
            if (start < line.length() && line.charAt(start) == '"') {
                StringBuilder quoted = new StringBuilder();
                at = quoted(line, start + 1, quoted);
                if (at < 0) {
                    return null;
                }
                fields.add(quoted.toString().strip());
            } else {
                int comma = line.indexOf(',', at);
                at = comma < 0 ? line.length() : comma;
                fields.add(line.substring(start > at ? at : start, at).strip());
            }
            if (at == line.length()) {
                return fields;
            }
            at++;
        }
    }

    /** Reads up to the closing quote; the place of the comma behind it or of the line's end, -1 if there is neither. */
    private static int quoted(String line, int from, StringBuilder into) {
        int at = from;
        while (at < line.length()) {
            char c = line.charAt(at++);
            if (c != '"') {
                into.append(c);
            } else if (at < line.length() && line.charAt(at) == '"') {
                into.append('"');
                at++;
            } else {
                while (at < line.length() && line.charAt(at) <= ' ') {
                    at++;
                }
                return at == line.length() || line.charAt(at) == ',' ? at : -1;
            }
        }
        return -1;
    }
}
