/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * One direction of a connection: frames under AES-256-GCM, numbered from 0. A frame is its length (4 bytes, authenticated)
 * and that many bytes of ciphertext with the tag. The nonce is the direction's own, combined with the frame's number, as in
 * TLS 1.3 (RFC 8446, 5.3): a frame that is repeated, left out or moved does not open.
 */
final class FrameSeal {
    static final int NONCE_BYTES = 12;
    static final int HEADER_BYTES = 4;
    static final int TAG_BYTES = 16;
    /** What a frame holds in clear, at most. */
    static final int PLAIN_BYTES = 64 * 1024;

    private final Cipher cipher;
    private final SecretKeySpec key;
    private final byte[] base;
    private long number;

    FrameSeal(byte[] key, byte[] base) throws GeneralSecurityException {
        this.cipher = Cipher.getInstance("AES/GCM/NoPadding");
        this.key = new SecretKeySpec(key, "AES");
        this.base = base;
    }

    /** Appends one frame with the next number to {@code out}, which has room for it. */
    void seal(ByteBuffer plain, ByteBuffer out) {
        try {
            int length = plain.remaining() + TAG_BYTES;
            cipher.init(Cipher.ENCRYPT_MODE, key, nextNonce());
            out.putInt(length);
            cipher.updateAAD(header(length));
            cipher.doFinal(plain, out);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * @param sealed ciphertext and tag, without the header
     * @throws MeshException if it is not the next frame, unaltered
     */
    ByteBuffer open(ByteBuffer sealed) throws MeshException {
        int length = sealed.remaining();
        long frame = number;
        try {
            cipher.init(Cipher.DECRYPT_MODE, key, nextNonce());
            cipher.updateAAD(header(length));
            ByteBuffer plain = ByteBuffer.allocate(length - TAG_BYTES);
            cipher.doFinal(sealed, plain);
            return plain.flip();
        } catch (AEADBadTagException e) {
            throw new MeshException(
                    "sent frame " + frame + " that is not authentic: altered, repeated or out of order");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
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

    private GCMParameterSpec nextNonce() {
        byte[] nonce = base.clone();
        long n = number++;
        for (int i = 0; i < Long.BYTES; i++) {
            nonce[NONCE_BYTES - 1 - i] ^= (byte) (n >>> (8 * i));
        }
        return new GCMParameterSpec(TAG_BYTES * 8, nonce);
    }
}
