/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.query.tls;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/**
 * A key on P-256 and a certificate for it, signed by itself.
 *
 * <p>The JDK has no interface that makes certificates; the dozen lines of DER that this one needs are cheaper than a
 * library of ten megabytes.
 *
 * @see "RFC 5280, section 4.1; RFC 5480"
 */
record SelfSigned(PrivateKey key, X509Certificate certificate) {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'");
    /** Clocks of two machines differ. */
    private static final Duration BEFORE = Duration.ofHours(1);

    private static final byte[] ECDSA_WITH_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
    private static final byte[] COMMON_NAME = oid(0x55, 0x04, 0x03);
    private static final byte[] SUBJECT_ALTERNATIVE_NAME = oid(0x55, 0x1d, 0x11);
    private static final byte[] KEY_USAGE = oid(0x55, 0x1d, 0x0f);
    private static final byte[] EXTENDED_KEY_USAGE = oid(0x55, 0x1d, 0x25);
    private static final byte[] SERVER_AUTHENTICATION = oid(0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01);
    private static final byte[] DIGITAL_SIGNATURE = {0x03, 0x02, 0x07, (byte) 0x80};

    /** @param names DNS names; the first one is the subject's */
    static SelfSigned create(List<String> names, Instant now, Duration validity) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            byte[] toSign = toBeSigned(names, now, validity, pair.getPublic().getEncoded());
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(pair.getPrivate());
            signature.update(toSign);
            byte[] der = sequence(toSign, ECDSA_WITH_SHA256, tagged(0x03, concatenated(new byte[1], signature.sign())));
            X509Certificate certificate = (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
            return new SelfSigned(pair.getPrivate(), certificate);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has P-256 and X.509", e);
        }
    }

    private static byte[] toBeSigned(List<String> names, Instant now, Duration validity, byte[] publicKey) {
        byte[] subject = sequence(tagged(0x31, sequence(COMMON_NAME, text(0x0c, names.getFirst()))));
        byte[] version3 = tagged(0xa0, tagged(0x02, new byte[] {2}));
        byte[] serial =
                tagged(0x02, new BigInteger(120, RANDOM).add(BigInteger.ONE).toByteArray());
        byte[] valid = sequence(time(now.minus(BEFORE)), time(now.plus(validity)));
        return sequence(
                version3,
                serial,
                ECDSA_WITH_SHA256,
                subject,
                valid,
                subject,
                publicKey,
                tagged(0xa3, extensions(names)));
    }

    private static byte[] extensions(List<String> names) {
        byte[] alternatives =
                concatenated(names.stream().map(name -> text(0x82, name)).toArray(byte[][]::new));
        return sequence(
                extension(SUBJECT_ALTERNATIVE_NAME, sequence(alternatives)),
                extension(KEY_USAGE, DIGITAL_SIGNATURE),
                extension(EXTENDED_KEY_USAGE, sequence(SERVER_AUTHENTICATION)));
    }

    private static byte[] extension(byte[] id, byte[] value) {
        return sequence(id, tagged(0x04, value));
    }

    private static byte[] time(Instant at) {
        return text(0x18, TIME.format(at.atOffset(ZoneOffset.UTC)));
    }

    private static byte[] oid(int... encoded) {
        byte[] bytes = new byte[encoded.length];
        for (int i = 0; i < encoded.length; i++) {
            bytes[i] = (byte) encoded[i];
        }
        return tagged(0x06, bytes);
    }

    private static byte[] text(int tag, String text) {
        return tagged(tag, text.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] sequence(byte[]... parts) {
        return tagged(0x30, concatenated(parts));
    }

    private static byte[] tagged(int tag, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length + 4);
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else if (content.length < 0x100) {
            out.write(0x81);
            out.write(content.length);
        } else {
            out.write(0x82);
            out.write(content.length >>> 8);
            out.write(content.length);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static byte[] concatenated(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
