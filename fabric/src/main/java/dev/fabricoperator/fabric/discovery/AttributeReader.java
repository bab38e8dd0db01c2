/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import dev.fabricoperator.fabric.device.ReadError;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads one-value attributes and collects what went wrong with them.
 *
 * <p>An absent file gives null silently; a file that cannot be read or understood gives null and a read error.
 */
final class AttributeReader {

    /** What a parser throws for a value that no kernel prints; the message tells what is wrong with it. */
    static final class Garbled extends Exception {
        private static final long serialVersionUID = 1L;

        private final String reason;

        Garbled(String reason) {
            super(reason, null, false, false);
            this.reason = reason;
        }

        String reason() {
            return reason;
        }
    }

    /** Turns an attribute's one line into a value; null where the value stands for "unknown". */
    @FunctionalInterface
    interface Parser<T> {
        @Nullable
        T parse(String line) throws Garbled;
    }

    /** A sysfs attribute never exceeds a page; those read here are far shorter. */
    static final int MAXIMUM_BYTES = 4096;

    /** Tables under /proc grow with the host's interfaces and routes. */
    static final int MAXIMUM_TABLE_BYTES = 1 << 20;

    /** More than these are not kept: one cause usually spoils many files. Bound of spec.readErrors. */
    static final int MAXIMUM_ERRORS = 8;

    private final HostTree tree;
    private final TreeSet<ReadError> errors = new TreeSet<>();
    private boolean failed;

    AttributeReader(HostTree tree) {
        this.tree = tree;
    }

    HostTree tree() {
        return tree;
    }

    /** The attribute's line; null where the file is absent, unreadable or blank. */
    @Nullable
    String text(String path) {
        return parsed(path, SysfsValues::text);
    }

    /** The attribute's value. A file without any byte says nothing: recordings hold such files for EINVAL. */
    <T> @Nullable T parsed(String path, Parser<T> parser) {
        String line = line(path);
        return line == null || line.isEmpty() ? null : parse(path, line, parser);
    }

    /** As {@link #parsed}, for an attribute that always has a value: an empty file is torn. */
    <T> @Nullable T required(String path, Parser<T> parser) {
        String line = line(path);
        if (line == null) {
            return null;
        }
        if (line.isEmpty()) {
            fail(path, "empty");
            return null;
        }
        return parse(path, line, parser);
    }

    private <T> @Nullable T parse(String path, String line, Parser<T> parser) {
        try {
            return parser.parse(line);
        } catch (Garbled e) {
            fail(path, e.reason());
            return null;
        }
    }

    private @Nullable String line(String path) {
        switch (tree.read(path, MAXIMUM_BYTES)) {
            case HostTree.Absent() -> {
                return null;
            }
            case HostTree.Unreadable(String reason) -> {
                fail(path, reason);
                return null;
            }
            case HostTree.Text(String value) -> {
                String line = value.strip();
                if (line.indexOf('\n') >= 0) {
                    fail(path, "more than one line");
                    return null;
                }
                return line;
            }
        }
    }

    /** A whole table; empty where the file is absent or unreadable. */
    List<String> lines(String path) {
        return switch (tree.read(path, MAXIMUM_TABLE_BYTES)) {
            case HostTree.Absent() -> List.of();
            case HostTree.Unreadable(String reason) -> {
                fail(path, reason);
                yield List.of();
            }
            case HostTree.Text(String value) -> value.lines().toList();
        };
    }

    /** Names in a directory; empty where it is absent or unreadable. */
    List<String> names(String path) {
        return switch (tree.list(path)) {
            case HostTree.Absent() -> List.of();
            case HostTree.Unreadable(String reason) -> {
                fail(path, reason);
                yield List.of();
            }
            case HostTree.Entries(List<String> names) -> names;
        };
    }

    /** A file that could not be read or understood. */
    void fail(String path, String reason) {
        failed = true;
        errors.add(new ReadError(path, reason));
    }

    /** Files that were read well and contradict each other. */
    void contradiction(String path, String reason) {
        errors.add(new ReadError(path, reason));
    }

    /** Takes over what another reader met, as of a file that several devices share. */
    void addAll(AttributeReader other) {
        failed |= other.failed;
        errors.addAll(other.errors);
    }

    boolean failed() {
        return failed;
    }

    /** Ascending by file, at most {@link #MAXIMUM_ERRORS}. */
    List<ReadError> errors() {
        return errors.stream().limit(MAXIMUM_ERRORS).toList();
    }
}
