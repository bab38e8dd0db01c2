/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

/** The object that stands for one job, in the namespace of its pods. */
public record OwnerRef(String apiVersion, String kind, String name, String uid) {}
