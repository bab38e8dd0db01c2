/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free TCP ports on loopback.
 *
 * Drawn from below the range that the kernel hands to outgoing connections, so that a port stays free between the look and the use unless another server
 * takes it; who starts a server here still has to try again with another port. Each is given out once by this JVM: a server that is still starting, or that is to
 * start again, keeps its port from the others.
 */
public final class Ports {
    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 32_000;

    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private Ports() {}

    public static int free() {
        for (int attempt = 0; attempt < 1_000; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (isFree(port) && GIVEN.add(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port between " + LOWEST + " and " + HIGHEST);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            // What makes the port unusable does not matter: the next one is tried.
            return false;
        }
    }
}
