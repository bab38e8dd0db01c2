/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.formats.export;

/** The plugins of Slurm that can be told about a fabric; the names are those of {@code TopologyPlugin=topology/...}. */
public enum SlurmPlugin {
    tree,
    block
}
