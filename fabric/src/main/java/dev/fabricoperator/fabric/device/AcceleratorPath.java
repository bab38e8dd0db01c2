/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.device;

/**
 * The way from a device to an accelerator, nearest first: one PCI switch, several PCI switches, one host bridge, one
 * NUMA node, across NUMA nodes.
 */
public enum AcceleratorPath {
    PIX,
    PXB,
    PHB,
    NODE,
    SYS
}
