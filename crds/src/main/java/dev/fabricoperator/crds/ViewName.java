/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.crds;

/** PMIX_COORD_VIEW. */
public enum ViewName {
    logical,
    physical
}
