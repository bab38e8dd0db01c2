/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.libpmix;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** The handshake of a client as libpmix 5.0.7 writes it, and damage to it. */
final class HandshakeBytes {
    private HandshakeBytes() {}

    static byte[] of(String nspace, int rank, int uid, int gid) {
        return of("native", 8, 0, nspace, rank, uid, gid, "5.0.7", "v41", 1, "hash", new byte[40]);
    }

    /** @param nspace {@code null} for a tool that wants a name */
    static byte[] tool(@Nullable String nspace, int uid, int gid) {
        return of(
                "native",
                8,
                nspace == null ? 3 : 4,
                nspace == null ? "" : nspace,
                0,
                uid,
                gid,
                "5.0.7",
                "v41",
                1,
                "hash",
                new byte[40]);
    }

    static byte[] of(
            String security,
            int credential,
            int kind,
            String nspace,
            int rank,
            int uid,
            int gid,
            String version,
            String packing,
            int buffer,
            String store,
            byte[] values) {
        ByteBuffer bytes = ByteBuffer.allocate(2048);
        bytes.order(ByteOrder.nativeOrder()).putInt(-1).putInt(-1).putInt(0).putInt(0);
        string(bytes, security);
        bytes.order(ByteOrder.BIG_ENDIAN).putInt(credential);
        bytes.order(ByteOrder.nativeOrder()).putInt(uid).putInt(gid);
        bytes.put((byte) kind);
        bytes.order(ByteOrder.BIG_ENDIAN);
        if (kind == 3 || kind == 4) {
            bytes.putInt(uid).putInt(gid);
        }
        if (kind != 3) {
            string(bytes, nspace);
            bytes.putInt(rank);
        }
        string(bytes, version);
        string(bytes, packing);
        bytes.put((byte) buffer);
        string(bytes, store);
        bytes.put(values);
        bytes.order(ByteOrder.nativeOrder()).putInt(8, bytes.position() - 16);
        byte[] whole = new byte[bytes.position()];
        bytes.get(0, whole);
        return whole;
    }

    private static void string(ByteBuffer bytes, String text) {
        bytes.put(text.getBytes(StandardCharsets.UTF_8)).put((byte) 0);
    }

    /** Something that once was a handshake: bits flipped, cut, grown, lengths and numbers replaced, or plain noise. */
    static byte[] damaged(byte[] handshake, Random random) {
        byte[] bytes = handshake.clone();
        switch (random.nextInt(6)) {
            case 0 -> {
                for (int i = random.nextInt(4); i >= 0; i--) {
                    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                }
            }
            case 1 -> bytes = java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length));
            case 2 -> {
                int cut = 16 + random.nextInt(bytes.length - 16);
                bytes = java.util.Arrays.copyOf(bytes, cut);
                ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putInt(8, cut - 16);
            }
            case 3 -> {
                int at = random.nextInt(bytes.length - 4);
                int[] awkward = {0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x20000, 9, 7};
                ByteBuffer.wrap(bytes).putInt(at, awkward[random.nextInt(awkward.length)]);
            }
            case 4 -> random.nextBytes(bytes = new byte[1 + random.nextInt(4000)]);
            default -> {
                byte[] noise = new byte[1 + random.nextInt(300)];
                random.nextBytes(noise);
                int at = 16 + random.nextInt(bytes.length - 16);
                ByteBuffer grown =
                        ByteBuffer.allocate(bytes.length + noise.length).order(ByteOrder.nativeOrder());
                grown.put(bytes, 0, at).put(noise).put(bytes, at, bytes.length - at);
                grown.putInt(8, grown.capacity() - 16);
                bytes = grown.array();
            }
        }
        return bytes;
    }
}
