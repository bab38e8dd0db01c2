/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A private key in PEM: of PKCS #8 (RFC 5958), of RSA alone (RFC 8017) or of an elliptic curve alone (RFC 5915), the latter as kubeadm and k3s write them. */
final class PemKey {
    private static final Pattern BLOCK = Pattern.compile("-----BEGIN ((?:[A-Z]+ )?)PRIVATE KEY-----([^-]+)-----END");
    private static final List<String> ALGORITHMS = List.of("EC", "RSA", "EdDSA");

    private static final int OCTETS = 0x04;
    private static final int SEQUENCE = 0x30;
    private static final int PARAMETERS = 0xa0;
    private static final byte[] VERSION = HexFormat.of().parseHex("020100");
    private static final byte[] OF_RSA = HexFormat.of().parseHex("06092a864886f70d0101010500");
    private static final byte[] OF_CURVE = HexFormat.of().parseHex("06072a8648ce3d0201");

    private PemKey() {}

    static PrivateKey read(String pem) throws GeneralSecurityException {
        Matcher block = BLOCK.matcher(pem);
        if (!block.find()) {
            throw new InvalidKeySpecException("the client's key is no private key in PEM");
        }
        byte[] der = Base64.getMimeDecoder().decode(block.group(2));
        byte[] pkcs8 = switch (block.group(1)) {
            case "" -> der;
            case "RSA " -> wrapped(OF_RSA, der);
            case "EC " -> wrapped(joined(OF_CURVE, curve(der)), der);
            default -> throw new InvalidKeySpecException("the client's key is encrypted, or of no use for TLS");
        };
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (InvalidKeySpecException e) {
                // Of another algorithm.
            }
        }
        throw new InvalidKeySpecException("the client's key is none of " + String.join(", ", ALGORITHMS));
    }

    private static byte[] wrapped(byte[] algorithm, byte[] key) {
        return element(SEQUENCE, joined(VERSION, element(SEQUENCE, algorithm), element(OCTETS, key)));
    }

    /** The object identifier of its curve, as DER. */
    private static byte[] curve(byte[] key) throws InvalidKeySpecException {
        try {
            ByteBuffer sequence = ByteBuffer.wrap(key);
            sequence.get();
            length(sequence);
            while (sequence.hasRemaining()) {
                int tag = Byte.toUnsignedInt(sequence.get());
                byte[] content = new byte[length(sequence)];
                sequence.get(content);
                if (tag == PARAMETERS) {
                    return content;
                }
            }
        } catch (RuntimeException e) {
            throw new InvalidKeySpecException("the client's key is damaged", e);
        }
        throw new InvalidKeySpecException("the client's key does not name its curve");
    }

    private static int length(ByteBuffer in) {
        int first = Byte.toUnsignedInt(in.get());
        if (first < 0x80) {
            return first;
        }
        int length = 0;
        for (int i = 0; i < (first & 0x7f); i++) {
            length = length << 8 | Byte.toUnsignedInt(in.get());
        }
        return length;
    }

    private static byte[] element(int tag, byte[] content) {
        int n = content.length;
        byte[] length;
        if (n < 0x80) {
            length = new byte[] {(byte) n};
        } else if (n < 0x100) {
            length = new byte[] {(byte) 0x81, (byte) n};
        } else {
            length = new byte[] {(byte) 0x82, (byte) (n >> 8), (byte) n};
        }
        return joined(new byte[] {(byte) tag}, length, content);
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
