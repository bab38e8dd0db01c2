/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Date;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/** An authority of a test, and what it has signed. */
public final class TestAuthority {
    private final String name;
    private final KeyPair key = newKey();
    private int issued;

    public TestAuthority(String name) {
        this.name = name;
    }

    /** A certificate, which names this machine's loopback too, with the key that belongs to it. */
    public record Identity(X509Certificate certificate, PrivateKey key) {}

    public X509Certificate certificate(Instant from, Instant to) {
        return sign(name, key, from, to, null);
    }

    public Identity issue(String commonName, Instant from, Instant to, KeyPurposeId purpose) {
        KeyPair own = newKey();
        return new Identity(sign(commonName, own, from, to, purpose), own.getPrivate());
    }

    public static String pem(Object certificateOrKey) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(
                    certificateOrKey instanceof PrivateKey key ? new JcaPKCS8Generator(key, null) : certificateOrKey);
        } catch (IOException e) {
            throw new IllegalStateException("cannot be written as PEM", e);
        }
        return text.toString();
    }

    private X509Certificate sign(
            String subject, KeyPair subjectKey, Instant from, Instant to, @Nullable KeyPurposeId purpose) {
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                new X500Principal("CN=" + name),
                BigInteger.valueOf(++issued),
                Date.from(from),
                Date.from(to),
                new X500Principal("CN=" + subject),
                subjectKey.getPublic());
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(purpose == null));
            if (purpose != null) {
                builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purpose));
                builder.addExtension(
                        Extension.subjectAlternativeName,
                        false,
                        new GeneralNames(new GeneralName(GeneralName.iPAddress, "127.0.0.1")));
            }
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(key.getPrivate())));
        } catch (CertIOException | OperatorCreationException | GeneralSecurityException e) {
            throw new IllegalStateException("cannot sign", e);
        }
    }

    private static KeyPair newKey() {
        try {
            // An RSA key takes a hundred times as long.
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no secp256r1", e);
        }
    }
}
