/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** The port that other pods connect to: one and the same wherever it is free, so that a NetworkPolicy can name it. */
final class MeshPorts {
    static final int USUAL = 7471;

    private MeshPorts() {}

    static int choose(InetAddress address) throws IOException {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(address, USUAL), 1);
            return USUAL;
        } catch (IOException e) {
            // With the host's network several pods share an address.
            return FreePorts.belowEphemeral().first(address, 1);
        }
    }
}
