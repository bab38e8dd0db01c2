/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

/** Which pod gets which ranks. */
public enum RankOrder {
    /** By app, then by index. */
    index,
    /** Neighbours on the fabric next to each other. */
    topology
}
