/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

/**
 * What stands at the end of a cable.
 *
 * @see "InfiniBand Architecture Specification volume 1, NodeInfo: NodeType"
 */
public enum NodeType {
    Switch,
    /** A port of an adapter. */
    Device
}
