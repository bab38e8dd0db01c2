/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import dev.fabricoperator.pmix.openssl.Aes256Gcm;
import java.nio.ByteBuffer;

/**
 * One direction of a connection: frames under AES-256-GCM, numbered from 0. A frame is its length (4 bytes, authenticated)
 * and that many bytes of ciphertext with the tag. The nonce is the direction's own, combined with the frame's number, as in
 * TLS 1.3 (RFC 8446, 5.3): a frame that is repeated, left out or moved does not open.
 */
final class FrameSeal {
    static final int NONCE_BYTES = Aes256Gcm.NONCE_BYTES;
    static final int HEADER_BYTES = 4;
    static final int TAG_BYTES = Aes256Gcm.TAG_BYTES;
    /** What a frame holds in clear, at most. */
    static final int PLAIN_BYTES = 64 * 1024;

    private static final Aes256Gcm CIPHER = new Aes256Gcm(PLAIN_BYTES);

    private final byte[] key;
    private final byte[] base;
    private long number;

    FrameSeal(byte[] key, byte[] base) {
        this.key = key;
        this.base = base;
    }

    /** Appends one frame with the next number to {@code out}, which has room for it. */
    void seal(ByteBuffer plain, ByteBuffer out) {
        int length = plain.remaining() + TAG_BYTES;
        out.putInt(length);
        CIPHER.seal(key, nextNonce(), header(length), plain, out);
    }

    /**
     * @param sealed ciphertext and tag, without the header
     * @throws MeshException if it is not the next frame, unaltered
     */
    ByteBuffer open(ByteBuffer sealed) throws MeshException {
        int length = sealed.remaining();
        long frame = number;
        ByteBuffer plain = ByteBuffer.allocate(length - TAG_BYTES);
        if (!CIPHER.open(key, nextNonce(), header(length), sealed, plain)) {
            throw new MeshException(
                    "sent frame " + frame + " that is not authentic: altered, repeated or out of order");
        }
        return plain.flip();
    }

    /** @throws MeshException for a length that no frame has */
    int checkLength(int length) throws MeshException {
        if (length <= TAG_BYTES || length > PLAIN_BYTES + TAG_BYTES) {
            throw new MeshException("announces " + Integer.toUnsignedString(length) + " bytes in frame " + number);
        }
        return length;
    }

    long number() {
        return number;
    }

    private static byte[] header(int length) {
        return new byte[] {(byte) (length >>> 24), (byte) (length >>> 16), (byte) (length >>> 8), (byte) length};
    }

    private byte[] nextNonce() {
        byte[] nonce = base.clone();
        long n = number++;
        for (int i = 0; i < Long.BYTES; i++) {
            nonce[NONCE_BYTES - 1 - i] ^= (byte) (n >>> (8 * i));
        }
        return nonce;
    }
}
