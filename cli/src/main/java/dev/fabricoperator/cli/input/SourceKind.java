/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.input;

/** Kinds of description of a fabric's cabling that a file can hold; the names are those of the command line. */
public enum SourceKind {
    ibnetdiscover
}
