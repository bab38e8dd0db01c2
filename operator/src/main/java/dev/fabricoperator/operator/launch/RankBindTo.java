/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

/** To what the ranks of a pod are bound, each to its share of it; the names are those of the launcher's option. */
public enum RankBindTo {
    /** To nothing: each may run on every CPU of its container. */
    none,
    core,
    numa
}
