/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator;

/** What a process of the one image does. */
public enum Role {
    /** Leader-elected; the only writer of objects. */
    controller,
    /** Every replica answers; writes nothing. */
    server
}
