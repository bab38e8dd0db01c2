/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

/** What is kept of an object. */
public interface Fact {
    String name();

    String uid();

    String resourceVersion();
}
