/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.certificate;

import dev.fabricoperator.operator.cluster.KeyPairPem;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * An authority on P-256 that signs the operator's serving certificates, and nothing else.
 *
 * @see "RFC 5280"
 */
record Authority(X509Certificate certificate, PrivateKey key) {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String SIGNATURE = "SHA256withECDSA";
    private static final int SERIAL_BITS = 120;
    /** Clocks of two machines differ. */
    private static final Duration BEFORE = Duration.ofHours(1);

    static Authority create(Instant now, Duration validity) {
        KeyPair pair = newKey();
        BigInteger serial = new BigInteger(SERIAL_BITS, RANDOM);
        // Two that are in use at one time need two names.
        X500Name name = new X500Name(
                "CN=fabric-operator-authority-" + serial.toString(36).substring(0, 6));
        try {
            JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
            JcaX509v3CertificateBuilder builder = builder(name, name, pair.getPublic(), now, now.plus(validity));
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign));
            builder.addExtension(
                    Extension.subjectKeyIdentifier, false, identifiers.createSubjectKeyIdentifier(pair.getPublic()));
            return new Authority(signed(builder, pair.getPrivate()), pair.getPrivate());
        } catch (CertIOException | GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has P-256 and X.509", e);
        }
    }

    /** @param names DNS names, the first one is the subject's */
    KeyPairPem issue(List<String> names, Instant now, Duration validity) {
        KeyPair pair = newKey();
        X500Name issuer =
                X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded());
        Instant end = certificate.getNotAfter().toInstant();
        Instant wanted = now.plus(validity);
        try {
            JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
            JcaX509v3CertificateBuilder builder = builder(
                    issuer,
                    new X500Name("CN=" + names.getFirst()),
                    pair.getPublic(),
                    now,
                    wanted.isBefore(end) ? wanted : end);
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(
                    Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
            builder.addExtension(
                    Extension.authorityKeyIdentifier, false, identifiers.createAuthorityKeyIdentifier(certificate));
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(names.stream()
                            .map(name -> new GeneralName(GeneralName.dNSName, name))
                            .toArray(GeneralName[]::new)));
            return new KeyPairPem(pem(signed(builder, key)), keyPem(pair.getPrivate()));
        } catch (CertIOException | GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has P-256 and X.509", e);
        }
    }

    String certificatePem() {
        return pem(certificate);
    }

    String keyPem() {
        return keyPem(key);
    }

    /** @throws GeneralSecurityException for what is no certificate with its key */
    static Authority read(KeyPairPem pem) throws GeneralSecurityException {
        try (PEMParser parser = new PEMParser(new StringReader(pem.key()))) {
            if (parser.readObject() instanceof PrivateKeyInfo info) {
                return new Authority(certificate(pem.certificate()), new JcaPEMKeyConverter().getPrivateKey(info));
            }
            throw new GeneralSecurityException("no PKCS 8 private key");
        } catch (IOException e) {
            throw new GeneralSecurityException("no private key", e);
        }
    }

    /** The first certificate of a text. */
    static X509Certificate certificate(String pem) throws GeneralSecurityException {
        try (PEMParser parser = new PEMParser(new StringReader(pem))) {
            if (parser.readObject() instanceof X509CertificateHolder holder) {
                return new JcaX509CertificateConverter().getCertificate(holder);
            }
            throw new GeneralSecurityException("no certificate");
        } catch (IOException e) {
            throw new GeneralSecurityException("no certificate", e);
        }
    }

    private static JcaX509v3CertificateBuilder builder(
            X500Name issuer, X500Name subject, PublicKey key, Instant now, Instant end) {
        return new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(SERIAL_BITS, RANDOM),
                Date.from(now.minus(BEFORE)),
                Date.from(end),
                subject,
                key);
    }

    private static X509Certificate signed(JcaX509v3CertificateBuilder builder, PrivateKey key)
            throws GeneralSecurityException {
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(new JcaContentSignerBuilder(SIGNATURE).build(key)));
        } catch (OperatorCreationException e) {
            throw new GeneralSecurityException(e);
        }
    }

    private static KeyPair newKey() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has P-256", e);
        }
    }

    private static String keyPem(PrivateKey key) {
        try {
            return pem(new JcaPKCS8Generator(key, null));
        } catch (IOException e) {
            throw new IllegalStateException("a key that was just made has an encoding", e);
        }
    }

    private static String pem(Object object) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        } catch (IOException e) {
            throw new IllegalStateException("a text in memory can be written", e);
        }
        return text.toString();
    }

    /** Its key is nobody's to read in a log. */
    @Override
    public String toString() {
        return "authority " + certificate.getSubjectX500Principal();
    }
}
