/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

/** Values of {@code -o}. */
public enum OutputFormat {
    table,
    wide,
    json,
    yaml,
    /** Of commands that list something, what the next one is asked about: a word on each line. */
    name;

    /** Whether it is for people, with columns. */
    public boolean isTable() {
        return this == table || this == wide;
    }
}
