/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import dev.fabricoperator.fabric.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * SHA-256 over the canonical form of a cost matrix: the number of slots and of switches that hold devices, 4 bytes each;
 * the ids of these switches, ascending, in UTF-8, each ended by a zero byte; the SHA-256 of each row of their matrix, 2
 * bytes an element; and per slot the row of its switch and the cost of the device's own cable, 2 bytes each, both 65535
 * for a device that no way leads to and 65535 and 0 for an empty slot. Numbers are big-endian.
 *
 * <p>Hashes of rows are kept, so that a change costs what it touches.
 */
final class CostDigest {
    static final int HASH_BYTES = 32;
    private static final int SLOTS_AT_ONCE = 4096;

    private CostDigest() {}

    /** Hashes rows one after the other. */
    static final class RowHasher {
        private final MessageDigest sha = Sha256.begin();
        private final ByteBuffer bytes;

        RowHasher(int columns) {
            bytes = ByteBuffer.allocate(2 * columns);
        }

        byte[] hash(char[] row) {
            bytes.asCharBuffer().put(row);
            return sha.digest(bytes.array());
        }
    }

    static String of(SwitchCosts switches, Attachments attachments) {
        MessageDigest sha = Sha256.begin();
        sha.update(ByteBuffer.allocate(8)
                .putInt(attachments.slots())
                .putInt(switches.size())
                .array());
        StringBuilder ids = new StringBuilder();
        for (int row = 0; row < switches.size(); row++) {
            ids.append(switches.id(row)).append('\0');
        }
        sha.update(ids.toString().getBytes(StandardCharsets.UTF_8));
        for (byte[] hash : switches.rowHashes()) {
            sha.update(hash);
        }
        int[] codes = new int[attachments.size()];
        for (int at = 0; at < codes.length; at++) {
            codes[at] = switch (at) {
                case Attachments.EMPTY -> 0xffff0000;
                case Attachments.LOOSE -> 0xffffffff;
                default -> attachments.row(at) << 16 | attachments.ownCost(at);
            };
        }
        int[] some = new int[Math.min(SLOTS_AT_ONCE, attachments.slots())];
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES * some.length);
        for (int first = 0; first < attachments.slots(); first += SLOTS_AT_ONCE) {
            int count = Math.min(SLOTS_AT_ONCE, attachments.slots() - first);
            for (int i = 0; i < count; i++) {
                some[i] = codes[attachments.of(first + i)];
            }
            bytes.asIntBuffer().put(some, 0, count);
            sha.update(bytes.array(), 0, Integer.BYTES * count);
        }
        return HexFormat.of().formatHex(sha.digest());
    }
}
