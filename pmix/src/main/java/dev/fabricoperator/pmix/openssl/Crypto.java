/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.openssl;

import dev.fabricoperator.pmix.foreign.Native;
import java.nio.ByteBuffer;

/** Functions that are done when they return. From any thread. */
public final class Crypto {
    private static final int SHA256_BYTES = 32;
    /** {@code EVP_PKEY_HKDF}. */
    private static final int HKDF = 1036;

    private Crypto() {}

    /** Bytes that nobody can foresee. */
    public static byte[] random(int count) {
        long memory = OpenSsl.CALLS.allocate(count);
        try {
            OpenSsl.require("RAND_bytes", memory, count, 0);
            return Native.bytes(memory, count);
        } finally {
            OpenSsl.CALLS.free(memory);
        }
    }

    public static byte[] sha256(byte[] data) {
        long memory = OpenSsl.CALLS.allocate(data.length + SHA256_BYTES);
        try {
            Native.view(memory, data.length + 1L).put(data);
            OpenSsl.pointer("SHA256", memory, data.length, memory + data.length);
            return Native.bytes(memory + data.length, SHA256_BYTES);
        } finally {
            OpenSsl.CALLS.free(memory);
        }
    }

    /**
     * HKDF with SHA-256, extract and expand.
     *
     * @param length bytes of the result
     * @see "RFC 5869"
     */
    public static byte[] hkdfSha256(byte[] secret, byte[] salt, byte[] info, int length) {
        int size = Long.BYTES + length + secret.length + salt.length + info.length;
        long memory = OpenSsl.CALLS.allocate(size);
        long context = OpenSsl.pointer("EVP_PKEY_CTX_new_id", HKDF, 0, 0);
        try {
            ByteBuffer view = Native.view(memory, size);
            view.putLong(length)
                    .position(Long.BYTES + length)
                    .put(secret)
                    .put(salt)
                    .put(info);
            long result = memory + Long.BYTES;
            long at = result + length;
            OpenSsl.require("EVP_PKEY_derive_init", context, 0, 0);
            OpenSsl.require("EVP_PKEY_CTX_set_hkdf_md", context, OpenSsl.pointer("EVP_sha256", 0, 0, 0), 0);
            OpenSsl.require("EVP_PKEY_CTX_set1_hkdf_key", context, at, secret.length);
            at += secret.length;
            OpenSsl.require("EVP_PKEY_CTX_set1_hkdf_salt", context, at, salt.length);
            at += salt.length;
            OpenSsl.require("EVP_PKEY_CTX_add1_hkdf_info", context, at, info.length);
            OpenSsl.require("EVP_PKEY_derive", context, result, memory);
            return Native.bytes(result, length);
        } finally {
            OpenSsl.call("EVP_PKEY_CTX_free", context, 0, 0);
            OpenSsl.call("OPENSSL_cleanse", memory, size, 0);
            OpenSsl.CALLS.free(memory);
        }
    }
}
