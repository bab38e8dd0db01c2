/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.device;

/** What stands behind a device: hardware, an SR-IOV virtual function, or several devices bonded. */
public enum Function {
    Physical,
    Virtual,
    Bond
}
