/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PemKeyTest {
    private static final int RSA_HEADER = 26;

    static String pem(String kind, byte[] der) {
        return "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + kind
                + "-----\n";
    }

    static PrivateKey made(String algorithm, int bits) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(bits);
        return generator.generateKeyPair().getPrivate();
    }

    /** RFC 5915, with its curve. */
    static byte[] sec1(ECPrivateKey key) {
        byte[] number = key.getS().toByteArray();
        byte[] octets = new byte[32];
        int from = Math.max(0, number.length - octets.length);
        System.arraycopy(number, from, octets, octets.length - (number.length - from), number.length - from);
        return HexFormat.of()
                .parseHex("30310201010420" + HexFormat.of().formatHex(octets) + "a00a06082a8648ce3d030107");
    }

    @ParameterizedTest
    @CsvSource({"EC,256", "EC,521", "RSA,2048", "Ed25519,255"})
    void aKeyOfPkcs8IsReadWhateverItsAlgorithmIs(String algorithm, int bits) throws GeneralSecurityException {
        PrivateKey key = made(algorithm, bits);
        assertThat(PemKey.read(pem("PRIVATE KEY", key.getEncoded()))).isEqualTo(key);
    }

    @Test
    void aKeyAsKubeadmOrK3sWriteItIsRead() throws GeneralSecurityException {
        PrivateKey rsa = made("RSA", 2048);
        byte[] pkcs1 = Arrays.copyOfRange(rsa.getEncoded(), RSA_HEADER, rsa.getEncoded().length);
        assertThat(PemKey.read(pem("RSA PRIVATE KEY", pkcs1))).isEqualTo(rsa);
        ECPrivateKey curve = (ECPrivateKey) made("EC", 256);
        String parameters = pem("EC PARAMETERS", HexFormat.of().parseHex("06082a8648ce3d030107"));
        assertThat(PemKey.read(parameters + pem("EC PRIVATE KEY", sec1(curve))))
                .isInstanceOfSatisfying(ECPrivateKey.class, read -> {
                    assertThat(read.getS()).isEqualTo(curve.getS());
                    assertThat(read.getParams()).isEqualTo(curve.getParams());
                });
    }

    @Test
    void whatIsNoKeyThatTlsCanUseIsRefusedWithItsReason() throws GeneralSecurityException {
        byte[] key = sec1((ECPrivateKey) made("EC", 256));
        assertThatThrownBy(() -> PemKey.read("")).hasMessageContaining("no private key in PEM");
        assertThatThrownBy(() -> PemKey.read(pem("ENCRYPTED PRIVATE KEY", key))).hasMessageContaining("encrypted");
        assertThatThrownBy(() -> PemKey.read(pem("PRIVATE KEY", key))).hasMessageContaining("none of EC, RSA, EdDSA");
        for (int length = 0; length < key.length; length++) {
            String torn = pem("EC PRIVATE KEY", Arrays.copyOf(key, length));
            assertThatThrownBy(() -> PemKey.read(torn)).isInstanceOf(GeneralSecurityException.class);
        }
    }
}
