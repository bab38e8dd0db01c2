/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a PMIx server answers to one key, read from what {@code pquery} of OpenPMIx 5 prints: a heading on standard output, below it the parts
 * of a string between commas, a line for each; values of other types on standard error.
 *
 * <p>It does not name the qualifiers of an answer, prints none where one of several keys is refused, and of two streams nobody knows which
 * value belongs to which key. So it is asked one key at a time.
 *
 * @param key as it was asked, with its qualifiers
 * @param type of PMIx, of an array that of its elements; {@code null} where what was printed is of another form
 * @param value number, boolean, string, {@link Info}, or list of one of them; without a type the lines as they were printed
 * @param error why there is no answer
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PmixAnswer(
        String key,
        @Nullable String type,
        @Nullable Object value,
        @Nullable String error) {
    private static final String PART = "    ";
    private static final Pattern STATUS = Pattern.compile("PMIx_Query_info (?:returned|failed): (.+)");
    private static final Pattern BEGIN = Pattern.compile("\\s*PMIX_VALUE:\\s+(.*)");
    private static final Pattern KEY = Pattern.compile("\\s*KEY: (\\S+)");
    private static final Pattern DIRECTIVES = Pattern.compile("\\s*Data type: PMIX_INFO_DIRECTIVES\t.*");
    private static final Pattern ARRAY =
            Pattern.compile("\\s*Data type: PMIX_DATA_ARRAY\tType: (\\S+)\tSize: (\\d{1,9})");
    private static final Pattern SINGLE = Pattern.compile("\\s*Data type: (\\S+)\t(?:Value: ?)?(.*)");

    /** An element of an array of {@code pmix_info_t}. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Info(String key, String type, @Nullable Object value) {}

    /** What the tool has printed, and its exit code. */
    record Printed(String out, String err, int exitCode) {
        /** What it says of itself, not of the answer. */
        List<String> warnings() {
            return err.lines()
                    .takeWhile(line -> !BEGIN.matcher(line).matches())
                    .filter(line -> !line.isBlank())
                    .toList();
        }
    }

    static PmixAnswer of(String key, Printed printed) {
        if (printed.exitCode() != 0) {
            return new PmixAnswer(key, null, null, reason(printed));
        }
        List<String> out = printed.out().lines().toList();
        List<String> value = printed.err()
                .lines()
                .dropWhile(line -> !BEGIN.matcher(line).matches())
                .toList();
        List<String> parts = out.isEmpty() ? List.of() : out.subList(1, out.size());
        if (value.isEmpty() && parts.stream().allMatch(part -> part.startsWith(PART))) {
            List<String> strings =
                    parts.stream().map(part -> part.substring(PART.length())).toList();
            return out.isEmpty()
                    ? new PmixAnswer(key, null, List.of(), null)
                    : new PmixAnswer(key, "PMIX_STRING", String.join(",", strings), null);
        }
        if (parts.isEmpty()) {
            try {
                Info read = new Lines(value).only(key);
                return new PmixAnswer(key, read.type(), read.value(), null);
            } catch (OtherFormException e) {
                // As a string that has a line feed in it makes it.
            }
        }
        List<String> all = new ArrayList<>(out);
        all.addAll(value);
        return new PmixAnswer(key, null, all, null);
    }

    private static String reason(Printed printed) {
        String output = (printed.err().isBlank() ? printed.out() : printed.err()).strip();
        Matcher status = STATUS.matcher(output);
        return status.find()
                ? status.group(1)
                : "pquery ended with code " + printed.exitCode() + (output.isEmpty() ? "" : ": " + output);
    }

    private static final class OtherFormException extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** A value as {@code PMIx_Value_string} makes it. The sizes of arrays tell where each ends. */
    private static final class Lines {
        private final Deque<String> lines;

        Lines(List<String> lines) {
            this.lines = new ArrayDeque<>(lines);
        }

        Info only(String key) throws OtherFormException {
            Info all = value(key, next(BEGIN).group(1));
            if (!lines.isEmpty()) {
                throw new OtherFormException();
            }
            return all;
        }

        private Matcher next(Pattern form) throws OtherFormException {
            return matched(form, lines.isEmpty() ? "" : lines.removeFirst());
        }

        private static Matcher matched(Pattern form, String line) throws OtherFormException {
            Matcher matcher = form.matcher(line);
            if (!matcher.matches()) {
                throw new OtherFormException();
            }
            return matcher;
        }

        private Info value(String key, String text) throws OtherFormException {
            Matcher array = ARRAY.matcher(text);
            if (!array.matches()) {
                Matcher single = matched(SINGLE, text);
                return new Info(key, single.group(1), single(single.group(1), single.group(2)));
            }
            String type = array.group(1);
            int size = Integer.parseInt(array.group(2));
            List<@Nullable Object> elements = new ArrayList<>();
            if (size == 0) {
                lines.pollFirst();
            }
            for (int i = 0; i < size; i++) {
                if (type.equals("PMIX_INFO")) {
                    String name = next(KEY).group(1);
                    next(DIRECTIVES);
                    elements.add(value(name, next(BEGIN).group(1)));
                } else {
                    elements.add(single(type, next(SINGLE).group(2)));
                }
            }
            return new Info(key, type, elements);
        }

        private @Nullable Object single(String type, String text) throws OtherFormException {
            try {
                return switch (type) {
                    case "PMIX_SIZE",
                            "PMIX_PID",
                            "PMIX_INT",
                            "PMIX_INT8",
                            "PMIX_INT16",
                            "PMIX_INT32",
                            "PMIX_INT64",
                            "PMIX_UINT",
                            "PMIX_UINT8",
                            "PMIX_UINT16",
                            "PMIX_UINT32",
                            "PMIX_UINT64" -> Long.valueOf(text);
                    case "PMIX_FLOAT", "PMIX_DOUBLE" -> Double.valueOf(text);
                    case "PMIX_BOOL" -> text.equals("TRUE");
                    // 5.0.7 prints where the value is, not the value.
                    case "PMIX_DEVICE_TYPE" -> null;
                    default -> (text + continuation()).strip();
                };
            } catch (NumberFormatException e) {
                throw new OtherFormException();
            }
        }

        /** Further lines of a value that is made of several parts, such as processes and geometries. */
        private String continuation() {
            StringBuilder more = new StringBuilder();
            while (!lines.isEmpty()
                    && (lines.getFirst().startsWith("\t") || lines.getFirst().startsWith(" Data type: PMIX_COORD\t"))) {
                more.append(' ')
                        .append(lines.removeFirst()
                                .replace(" Data type: PMIX_COORD", "")
                                .strip()
                                .replace('\t', ' '));
            }
            return more.toString();
        }
    }
}
