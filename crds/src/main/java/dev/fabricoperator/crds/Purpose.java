/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

/** What a fabric is for. */
public enum Purpose {
    Compute,
    Storage,
    Management
}
