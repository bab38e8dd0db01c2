/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.device;

/** What stands behind a device. */
public enum Function {
    Physical,
    /** A part of a physical device: an SR-IOV virtual function or a sub-function. */
    Virtual,
    /** Several devices bonded. */
    Bond,
    /** RDMA that the kernel does by itself over a network interface (rxe, siw): for tests, not for a fabric. */
    Software
}
