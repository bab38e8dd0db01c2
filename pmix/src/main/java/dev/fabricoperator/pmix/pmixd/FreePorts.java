/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.openssl.Crypto;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * Ports that others are told before they are bound: below the range from which the kernel gives ports to connections, so
 * that none of those can take one meanwhile, and where nobody listens now.
 */
final class FreePorts {
    private static final Path EPHEMERAL = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    static final int MESH_PORT = 7471;
    private static final int LOWEST = 10_000;
    private static final int DEFAULT_EPHEMERAL = 32_768;
    private static final int TRIES = 200;

    private final int end;
    private final RandomGenerator random;

    /** @param ephemeral the kernel's file with the first and last port of its range */
    FreePorts(Path ephemeral, RandomGenerator random) {
        int first = firstEphemeral(ephemeral);
        // A range that begins lower leaves no room below it; above is then no worse than inside.
        this.end = first > LOWEST + 1_000 ? first : DEFAULT_EPHEMERAL;
        this.random = random;
    }

    /** By the kernel's range, from a place of its own in each process. */
    static FreePorts belowEphemeral() {
        return new FreePorts(
                EPHEMERAL, new Random(ByteBuffer.wrap(Crypto.random(Long.BYTES)).getLong()));
    }

    /** The port that other pods connect to: one and the same wherever it is free, so that a NetworkPolicy can name it. */
    static int forMesh(InetAddress address) throws IOException {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(address, MESH_PORT), 1);
            return MESH_PORT;
        } catch (IOException e) {
            // With the host's network several pods share an address.
            return belowEphemeral().first(address, 1);
        }
    }

    private static int firstEphemeral(Path file) {
        try {
            String text = Files.readString(file, StandardCharsets.US_ASCII).strip();
            int blank = 0;
            while (blank < text.length() && Character.isDigit(text.charAt(blank))) {
                blank++;
            }
            return Integer.parseInt(text.substring(0, blank));
        } catch (IOException | NumberFormatException e) {
            return DEFAULT_EPHEMERAL;
        }
    }

    /**
     * The first of {@code count} ports in a row, free on an address now.
     *
     * @throws IOException if none is found
     */
    int first(InetAddress address, int count) throws IOException {
        for (int tries = 0; tries < TRIES; tries++) {
            int first = LOWEST + random.nextInt(end - count - LOWEST);
            if (areFree(address, first, count)) {
                return first;
            }
        }
        throw new IOException("no " + count + " free ports in a row between " + LOWEST + " and " + end);
    }

    private static boolean areFree(InetAddress address, int first, int count) {
        for (int port = first; port < first + count; port++) {
            try (ServerSocket probe = new ServerSocket()) {
                probe.setReuseAddress(false);
                probe.bind(new InetSocketAddress(address, port), 1);
            } catch (IOException e) {
                return false;
            }
        }
        return true;
    }
}
