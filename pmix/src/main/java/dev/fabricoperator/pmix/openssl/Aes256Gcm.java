/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.openssl;

import dev.fabricoperator.pmix.foreign.Native;
import java.nio.ByteBuffer;

/**
 * AES-256-GCM for texts of a bounded length, by one context and one piece of C's memory that live as long as the process: the
 * key is handed in each time, so that nothing has to be released with it. From any thread, one at a time.
 */
public final class Aes256Gcm {
    public static final int KEY_BYTES = 32;
    public static final int NONCE_BYTES = 12;
    public static final int TAG_BYTES = 16;

    private static final int EVP_CTRL_AEAD_GET_TAG = 0x10;
    private static final int EVP_CTRL_AEAD_SET_TAG = 0x11;

    private static final int NONCE = KEY_BYTES;
    private static final int LENGTH = NONCE + 16;
    private static final int HEADER = LENGTH + 16;
    private static final int HEADER_BYTES = 16;
    private static final int TEXT = HEADER + HEADER_BYTES;

    private final Native.Function init = OpenSsl.CALLS.function("EVP_CipherInit_ex");
    private final Native.Function update = OpenSsl.CALLS.function("EVP_CipherUpdate");
    private final Native.Function finish = OpenSsl.CALLS.function("EVP_CipherFinal_ex");
    private final Native.Function control = OpenSsl.CALLS.function("EVP_CIPHER_CTX_ctrl");
    private final long context = OpenSsl.pointer("EVP_CIPHER_CTX_new", 0, 0, 0);
    private final long memory;
    private final ByteBuffer view;

    /** @param longest bytes of a text in clear */
    public Aes256Gcm(int longest) {
        int size = TEXT + longest + TAG_BYTES;
        memory = OpenSsl.CALLS.allocate(size);
        view = Native.view(memory, size);
        require(OpenSsl.CALLS.call(init, context, OpenSsl.pointer("EVP_aes_256_gcm", 0, 0, 0), 0, 0, 0, 1, 0));
    }

    /**
     * Appends ciphertext and tag to {@code out}, which has room for them.
     *
     * @param header authenticated with the text, at most 16 bytes
     */
    public synchronized void seal(byte[] key, byte[] nonce, byte[] header, ByteBuffer plain, ByteBuffer out) {
        int length = plain.remaining();
        begin(key, nonce, header, plain, 1);
        long tag = memory + TEXT + length;
        require(OpenSsl.CALLS.call(update, context, memory + TEXT, memory + LENGTH, memory + TEXT, length, 0, 0));
        require(OpenSsl.CALLS.call(finish, context, tag, memory + LENGTH, 0, 0, 0, 0));
        require(OpenSsl.CALLS.call(control, context, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, tag, 0, 0, 0));
        out.put(view.slice(TEXT, length + TAG_BYTES));
    }

    /**
     * Appends the clear text to {@code out}, which has room for it.
     *
     * @param sealed ciphertext and tag
     * @return whether it is authentic; if it is not, nothing is appended
     */
    public synchronized boolean open(byte[] key, byte[] nonce, byte[] header, ByteBuffer sealed, ByteBuffer out) {
        int length = sealed.remaining() - TAG_BYTES;
        begin(key, nonce, header, sealed, 0);
        long tag = memory + TEXT + length;
        require(OpenSsl.CALLS.call(update, context, memory + TEXT, memory + LENGTH, memory + TEXT, length, 0, 0));
        require(OpenSsl.CALLS.call(control, context, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, tag, 0, 0, 0));
        if ((int) OpenSsl.CALLS.call(finish, context, tag, memory + LENGTH, 0, 0, 0, 0) != 1) {
            OpenSsl.call("ERR_clear_error", 0, 0, 0);
            return false;
        }
        out.put(view.slice(TEXT, length));
        return true;
    }

    private void begin(byte[] key, byte[] nonce, byte[] header, ByteBuffer text, int encrypt) {
        if (key.length != KEY_BYTES || nonce.length != NONCE_BYTES || header.length > HEADER_BYTES) {
            throw new IllegalArgumentException("a key, a nonce or a header of another length");
        }
        view.put(0, key).put(NONCE, nonce).put(HEADER, header);
        view.position(TEXT).put(text).clear();
        require(OpenSsl.CALLS.call(init, context, 0, 0, memory, memory + NONCE, encrypt, 0));
        require(OpenSsl.CALLS.call(update, context, 0, memory + LENGTH, memory + HEADER, header.length, 0, 0));
    }

    private static void require(long result) {
        if ((int) result != 1) {
            throw new IllegalStateException("AES-256-GCM: " + OpenSsl.reason());
        }
    }
}
