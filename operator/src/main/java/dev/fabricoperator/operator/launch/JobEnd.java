/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

/**
 * An owner that makes no more pods.
 *
 * @param well whether it is complete
 * @param words a sentence about it
 */
public record JobEnd(boolean well, String words) {}
