/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

/** Status of a condition. */
public enum ConditionStatus {
    True,
    False,
    Unknown
}
