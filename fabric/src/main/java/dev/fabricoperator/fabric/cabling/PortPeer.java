/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

/**
 * The far end of a cable.
 *
 * @param id node GUID (16 lower-case hex digits) of a switch or device, else a MAC or chassis id, else
 *     {@code host/osName}
 * @param port the far port's number, 0 where the source does not know it
 */
public record PortPeer(String id, int port) {}
