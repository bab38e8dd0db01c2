/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * SHA-256 over the canonical form of a cost matrix: the number of slots and of switches that hold devices; the ids of
 * these switches, ascending, each ended by a zero byte; their matrix row by row; and per slot the switch and the cost of
 * the device's own cable, with -1 for an empty slot. Numbers are big-endian, 4 bytes, matrix elements 2 bytes.
 */
final class CostDigest {
    private final MessageDigest sha;
    private final byte[] buffer = new byte[8192];
    private int filled;

    private CostDigest() {
        try {
            sha = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    static String of(SwitchCosts switches, int[] edgeOfSlot, byte[] classOfSlot, int[] classCosts) {
        CostDigest digest = new CostDigest();
        digest.putInt(edgeOfSlot.length);
        digest.putInt(switches.size());
        for (int edge = 0; edge < switches.size(); edge++) {
            for (byte b : switches.id(edge).getBytes(StandardCharsets.UTF_8)) {
                digest.put(b);
            }
            digest.put((byte) 0);
        }
        for (int from = 0; from < switches.size(); from++) {
            for (int to = 0; to < switches.size(); to++) {
                int cost = switches.cost(from, to);
                digest.put((byte) (cost >>> 8));
                digest.put((byte) cost);
            }
        }
        for (int slot = 0; slot < edgeOfSlot.length; slot++) {
            digest.putInt(edgeOfSlot[slot]);
            digest.putInt(edgeOfSlot[slot] < 0 ? -1 : classCosts[classOfSlot[slot]]);
        }
        digest.flush();
        return HexFormat.of().formatHex(digest.sha.digest());
    }

    private void putInt(int value) {
        put((byte) (value >>> 24));
        put((byte) (value >>> 16));
        put((byte) (value >>> 8));
        put((byte) value);
    }

    private void put(byte b) {
        if (filled == buffer.length) {
            flush();
        }
        buffer[filled++] = b;
    }

    private void flush() {
        sha.update(buffer, 0, filled);
        filled = 0;
    }
}
