/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.mesh;

import dev.fabricoperator.pmix.openssl.Aes256Gcm;
import dev.fabricoperator.pmix.openssl.Crypto;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The first {@value #BYTES} bytes in each direction of a connection, the only ones in clear: magic (8), digest of the nspace
 * (16), sender's and receiver's pod index (4 each), nonce (32). Both are bound into the keys of everything that follows, so
 * that a greeting that was altered or replayed leads to keys that nobody else has.
 *
 * @param job first 16 bytes of the SHA-256 of the nspace
 * @param from pod index of who sends it
 * @param to pod index of who is meant
 * @see "RFC 5869 (HKDF)"
 */
record Greeting(byte[] job, int from, int to, byte[] nonce) {
    static final int BYTES = 64;
    static final long MAGIC = 0x4641_424d_4553_4801L;
    private static final int NONCE_BYTES = 32;

    static Greeting fresh(byte[] job, int from, int to) {
        return new Greeting(job, from, to, Crypto.random(NONCE_BYTES));
    }

    static byte[] digestOf(String nspace) {
        return Arrays.copyOf(Crypto.sha256(nspace.getBytes(StandardCharsets.UTF_8)), 16);
    }

    /**
     * @param bytes {@value #BYTES} of them
     * @throws MeshException where they are no greeting of this protocol
     */
    static Greeting parse(ByteBuffer bytes) throws MeshException {
        if (bytes.getLong() != MAGIC) {
            throw foreign();
        }
        byte[] job = new byte[16];
        bytes.get(job);
        int from = bytes.getInt();
        int to = bytes.getInt();
        byte[] nonce = new byte[NONCE_BYTES];
        bytes.get(nonce);
        return new Greeting(job, from, to, nonce);
    }

    static MeshException foreign() {
        return new MeshException("does not speak the protocol of pmixd");
    }

    byte[] bytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(MAGIC)
                .put(job)
                .putInt(from)
                .putInt(to)
                .put(nonce)
                .array();
    }

    /** What both greetings and the job's key give: one seal for each direction. */
    record Seals(FrameSeal toResponder, FrameSeal toInitiator) {}

    static Seals seals(byte[] jobKey, Greeting initiator, Greeting responder) {
        byte[] salt = concat(initiator.nonce, responder.nonce);
        byte[] greetings = concat(initiator.bytes(), responder.bytes());
        return new Seals(seal(jobKey, salt, 'i', greetings), seal(jobKey, salt, 'r', greetings));
    }

    private static FrameSeal seal(byte[] jobKey, byte[] salt, char direction, byte[] greetings) {
        byte[] info = concat(("pmixd mesh 1 " + direction).getBytes(StandardCharsets.US_ASCII), greetings);
        byte[] okm = Crypto.hkdfSha256(jobKey, salt, info, Aes256Gcm.KEY_BYTES + FrameSeal.NONCE_BYTES);
        return new FrameSeal(
                Arrays.copyOf(okm, Aes256Gcm.KEY_BYTES), Arrays.copyOfRange(okm, Aes256Gcm.KEY_BYTES, okm.length));
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
