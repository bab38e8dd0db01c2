/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

/** Which devices of a node stand where its labels say that the node is. */
public enum NodeDevices {
    /** Of the first family that the node has, in the order of how much a family is made for a fabric. */
    byFamily,
    /** Of all families. */
    all
}
