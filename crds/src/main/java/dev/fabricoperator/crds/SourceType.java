/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

/** Kind of a topology source. */
public enum SourceType {
    ibnetdiscover
}
