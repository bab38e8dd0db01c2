/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A host's file system as discovery sees it: a directory that holds {@code sys}, {@code proc}, {@code etc}.
 *
 * <p>Paths are absolute below the host's root ({@code /sys/class/net}). No method throws for what it finds: an absent
 * file and a file that cannot be read are different answers, since the first means "unknown" and the second "ask
 * again". Symbolic links never lead out of the root.
 */
public interface HostTree {

    /** What reading a file gave. */
    sealed interface Content permits Text, Absent, Unreadable {}

    /** What listing a directory gave. */
    sealed interface Listing permits Entries, Absent, Unreadable {}

    /** The whole content, as UTF-8 without control characters other than tab and line feed. */
    record Text(String value) implements Content {}

    /** Names in the directory, sorted. */
    record Entries(List<String> names) implements Listing {
        public Entries {
            names = List.copyOf(names);
        }
    }

    /**
     * Not there, a link to nowhere, or an attribute that the kernel refuses to give a value for at the moment (EINVAL
     * of {@code speed} on an interface that is down).
     */
    record Absent() implements Content, Listing {}

    /**
     * There, but it could not be read or is not text.
     *
     * @param reason in words for an administrator
     */
    record Unreadable(String reason) implements Content, Listing {}

    /** Content of a file of at most {@code maximumBytes}; a longer one is {@link Unreadable}. */
    Content read(String path, int maximumBytes);

    /** As {@link #read}, of a file that is no text: each byte is one character of the answer. */
    Content readBinary(String path, int maximumBytes);

    /** Names in a directory. */
    Listing list(String path);

    /** The path with every symbolic link resolved, or null where nothing is there. */
    @Nullable
    String realPath(String path);

    /** What a symbolic link holds, even where it leads to nothing; null where there is no link. */
    @Nullable
    String linkTarget(String path);

    /** Whether something is there; a link to nowhere is nothing. */
    default boolean exists(String path) {
        return realPath(path) != null;
    }
}
