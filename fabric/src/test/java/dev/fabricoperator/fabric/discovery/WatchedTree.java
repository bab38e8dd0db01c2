/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.discovery;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A tree that denies some files, and knows how much was asked of it and how much of that it could not answer. */
final class WatchedTree implements HostTree {
    private static final Unreadable DENIED = new Unreadable("permission denied");

    private final HostTree tree;
    private final Predicate<String> denied;
    /** Questions: what a look costs, whatever else the machine does meanwhile. */
    long asked;

    long bytes;
    int unreadableFiles;
    int unreadableDirectories;

    /** @param denied paths whose content nobody may read */
    WatchedTree(HostTree tree, Predicate<String> denied) {
        this.tree = tree;
        this.denied = denied;
    }

    @Override
    public Content read(String path, int maximumBytes) {
        asked++;
        Content content = denied.test(path) && tree.exists(path) ? DENIED : tree.read(path, maximumBytes);
        bytes += content instanceof Text(String value) ? value.length() : 0;
        unreadableFiles += content instanceof Unreadable ? 1 : 0;
        return content;
    }

    @Override
    public Content readBinary(String path, int maximumBytes) {
        asked++;
        Content content = denied.test(path) && tree.exists(path) ? DENIED : tree.readBinary(path, maximumBytes);
        bytes += content instanceof Text(String value) ? value.length() : 0;
        // Optional to the reader: it is silent where the file is not for it.
        return content;
    }

    @Override
    public Listing list(String path) {
        asked++;
        Listing listing = denied.test(path) && tree.exists(path) ? DENIED : tree.list(path);
        unreadableDirectories += listing instanceof Unreadable ? 1 : 0;
        return listing;
    }

    @Override
    public @Nullable String realPath(String path) {
        asked++;
        return tree.realPath(path);
    }

    @Override
    public @Nullable String linkTarget(String path) {
        asked++;
        return tree.linkTarget(path);
    }
}
