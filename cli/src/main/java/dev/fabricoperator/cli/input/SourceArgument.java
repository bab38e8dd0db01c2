/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code [KIND:]PATH} as typed.
 *
 * @param kind {@code null} where the content is to tell
 * @param path a file's path, or {@value #STANDARD_INPUT}
 */
public record SourceArgument(@Nullable SourceKind kind, String path) {
    public static final String LABEL = "[KIND:]FILE";

    /** Of commands that ask the cluster where no file is named. */
    public static final String INSTEAD_OF_CLUSTER =
            "Files instead of the cluster; plain, gzip or xz; '-' is standard input.";

    /** The same behind or before other words. */
    public static final String BESIDE_WORDS =
            "files instead of the cluster may stand before or behind; plain, gzip or xz; '-' is standard input.";

    public static final String STANDARD_INPUT = "-";

    private static final Pattern WORD = Pattern.compile("[a-z][-a-z]+");

    /** What to call the file in messages. */
    public String shownPath() {
        return path.equals(STANDARD_INPUT) ? "<stdin>" : path;
    }

    /** @throws Failure if no path is given, or a kind that is not known */
    void requireKnown() throws Failure {
        if (path.isEmpty()) {
            throw Failure.wrongUsage((kind == null ? "a file's name is empty" : "no path behind '" + kind + ":'")
                    + "; '-' is standard input");
        }
        int colon = path.indexOf(':');
        String word = colon < 0 ? "" : path.substring(0, colon);
        if (kind == null && WORD.matcher(word).matches() && !exists(path)) {
            String kinds =
                    Arrays.stream(SourceKind.values()).map(SourceKind::toString).collect(Collectors.joining(", "));
            throw Failure.wrongUsage("unknown kind '" + word + "'; known: " + kinds);
        }
    }

    private static boolean exists(String path) {
        try {
            return Files.exists(Path.of(path));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /** The path may hold further colons. Never fails: picocli would call what does not convert unmatched. */
    public static SourceArgument parse(String text) {
        for (SourceKind known : SourceKind.values()) {
            if (text.startsWith(known + ":")) {
                return new SourceArgument(known, text.substring(known.toString().length() + 1));
            }
        }
        return new SourceArgument(null, text);
    }

    /** Whether a word among others is a file: it names its kind, is standard input, or is there. */
    public static boolean isFile(String word) {
        if (parse(word).kind() != null || word.equals(STANDARD_INPUT)) {
            return true;
        }
        try {
            return Files.isRegularFile(Path.of(word));
        } catch (InvalidPathException e) {
            return false;
        }
    }
}
