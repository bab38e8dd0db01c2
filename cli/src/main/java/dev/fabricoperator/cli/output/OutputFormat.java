/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

/** Values of {@code -o}. */
public enum OutputFormat {
    table,
    json,
    yaml
}
