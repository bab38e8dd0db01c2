/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.query;

import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/** An address of this machine that an EndpointSlice may hold: Kubernetes refuses loopback and link-local ones. */
public final class MachineAddress {
    private MachineAddress() {}

    /** The first such IPv4 address; what is sent to it stays in the machine. */
    public static String find() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(Inet4Address.class::isInstance)
                    .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                    .map(InetAddress::getHostAddress)
                    .sorted()
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException(
                            "this machine has no IPv4 address but loopback, and an EndpointSlice takes no loopback address:"
                                    + " give it one, for example ip addr add 198.18.0.1/32 dev lo"));
        } catch (SocketException e) {
            throw new UncheckedIOException("cannot list the addresses of this machine", e);
        }
    }
}
