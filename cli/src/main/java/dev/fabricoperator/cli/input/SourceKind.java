/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

import java.util.regex.Pattern;

/** Kinds of description of a fabric's cabling that a file can hold; the names are those of the command line. */
public enum SourceKind {
    ibnetdiscover,
    slurm,
    cables,
    fabricswitches;

    private static final Pattern OBJECTS = Pattern.compile("(?m)^\\s*\"?(apiVersion|kind|items)\"?\\s*:");

    /** What a file is whose kind nobody named, by how it begins; what is like nothing else is {@link #ibnetdiscover}. */
    static SourceKind of(String beginning) {
        return OBJECTS.matcher(beginning).find() ? fabricswitches : ibnetdiscover;
    }
}
