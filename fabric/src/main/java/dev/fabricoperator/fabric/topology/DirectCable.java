/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.topology;

/**
 * A cable between two managed devices, with no switch between them.
 *
 * @param slot of one device
 * @param otherSlot of the other one
 * @param speedBitsPerSecond nominal rate of all lanes together, 0 where nobody knows
 */
public record DirectCable(int slot, int otherSlot, long speedBitsPerSecond) {}
