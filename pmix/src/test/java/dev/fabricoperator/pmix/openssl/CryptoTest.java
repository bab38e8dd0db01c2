/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.openssl;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Java's own providers are the reference. */
class CryptoTest {
    private static final int LONGEST = 70_000;
    private static final Aes256Gcm CIPHER = new Aes256Gcm(LONGEST);

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }

    @Test
    void hkdfGivesTheFirstResultOfRfc5869() {
        assertThat(Crypto.hkdfSha256(
                        hex("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"),
                        hex("000102030405060708090a0b0c"),
                        hex("f0f1f2f3f4f5f6f7f8f9"),
                        42))
                .isEqualTo(hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"));
    }

    @Property(tries = 100)
    void hkdfIsThatOfJava(
            @ForAll @Size(min = 1, max = 64) byte[] secret,
            @ForAll @Size(min = 1, max = 64) byte[] salt,
            @ForAll @Size(min = 1, max = 200) byte[] info,
            @ForAll @IntRange(min = 1, max = 200) int length)
            throws GeneralSecurityException {
        assertThat(Crypto.hkdfSha256(secret, salt, info, length))
                .isEqualTo(KDF.getInstance("HKDF-SHA256")
                        .deriveData(HKDFParameterSpec.ofExtract()
                                .addIKM(secret)
                                .addSalt(salt)
                                .thenExpand(info, length)));
    }

    @Property(tries = 100)
    void sha256IsThatOfJava(@ForAll @Size(max = 300) byte[] data) throws GeneralSecurityException {
        assertThat(Crypto.sha256(data))
                .isEqualTo(MessageDigest.getInstance("SHA-256").digest(data));
    }

    @Test
    void randomBytesDiffer() {
        assertThat(Crypto.random(32)).hasSize(32).isNotEqualTo(Crypto.random(32));
    }

    @Property(tries = 100)
    void whatIsSealedOpensInJavaAndTheOtherWayRound(
            @ForAll @Size(32) byte[] key,
            @ForAll @Size(12) byte[] nonce,
            @ForAll @Size(min = 1, max = 16) byte[] header,
            @ForAll @Size(max = 300) byte[] plain)
            throws GeneralSecurityException {
        ByteBuffer sealed = ByteBuffer.allocate(plain.length + Aes256Gcm.TAG_BYTES);
        CIPHER.seal(key, nonce, header, ByteBuffer.wrap(plain), sealed);
        assertThat(sealed.hasRemaining()).isFalse();
        assertThat(java(Cipher.DECRYPT_MODE, key, nonce, header, sealed.array()))
                .isEqualTo(plain);

        ByteBuffer opened = ByteBuffer.allocate(plain.length);
        byte[] byJava = java(Cipher.ENCRYPT_MODE, key, nonce, header, plain);
        assertThat(CIPHER.open(key, nonce, header, ByteBuffer.wrap(byJava), opened))
                .isTrue();
        assertThat(opened.array()).isEqualTo(plain);
    }

    private static byte[] java(int mode, byte[] key, byte[] nonce, byte[] header, byte[] text)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(128, nonce));
        cipher.updateAAD(header);
        return cipher.doFinal(text);
    }

    @Test
    void anotherKeyNonceHeaderOrTextDoesNotOpenAndGivesNothingOut() {
        byte[] key = new byte[32];
        byte[] nonce = new byte[12];
        byte[] header = {1, 2, 3, 4};
        ByteBuffer sealed = ByteBuffer.allocate(LONGEST + Aes256Gcm.TAG_BYTES);
        byte[] plain = new byte[LONGEST];
        Arrays.fill(plain, (byte) 7);
        CIPHER.seal(key, nonce, header, ByteBuffer.wrap(plain), sealed);
        byte[] right = sealed.array();
        byte[] wrong = right.clone();
        wrong[LONGEST / 2] ^= 1;
        byte[] otherKey = key.clone();
        otherKey[31] = 1;
        byte[] otherNonce = nonce.clone();
        otherNonce[0] = 1;
        ByteBuffer out = ByteBuffer.allocate(LONGEST);
        assertThat(CIPHER.open(otherKey, nonce, header, ByteBuffer.wrap(right), out))
                .isFalse();
        assertThat(CIPHER.open(key, otherNonce, header, ByteBuffer.wrap(right), out))
                .isFalse();
        assertThat(CIPHER.open(key, nonce, "abc".getBytes(StandardCharsets.US_ASCII), ByteBuffer.wrap(right), out))
                .isFalse();
        assertThat(CIPHER.open(key, nonce, header, ByteBuffer.wrap(wrong), out)).isFalse();
        assertThat(out.position()).isZero();
        assertThat(CIPHER.open(key, nonce, header, ByteBuffer.wrap(right), out)).isTrue();
        assertThat(out.array()).isEqualTo(plain);
    }
}
