/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.jspecify.annotations.Nullable;

/**
 * A certificate authority that lives as long as its control plane; what it issues is valid for a week.
 *
 * <p>The keys of authorities and of service accounts are new and elliptic. All certificates that a process issues share one RSA key: every client
 * reads such a key without help, and a new one takes half a second of a processor.
 */
final class Pki {
    private static final Duration VALIDITY = Duration.ofDays(7);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final KeyPair key;
    private final X509Certificate certificate;

    /** A certificate and its key, both as PEM text. */
    record Identity(String certificate, String key) {
        /** Writes {@code name.crt} and {@code name.key}, the key readable by its owner only. */
        void write(Path directory, String name) {
            try {
                Files.writeString(directory.resolve(name + ".crt"), certificate);
                Files.writeString(directory.resolve(name + ".key"), key);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write the certificate " + name, e);
            }
        }
    }

    private Pki(KeyPair key, X509Certificate certificate) {
        this.key = key;
        this.certificate = certificate;
    }

    static Pki create(String commonName) {
        KeyPair key = newAuthorityKey();
        X500Principal subject = new X500Principal("CN=" + commonName);
        return new Pki(key, sign(subject, key, subject, key, List.of(), true));
    }

    String certificatePem() {
        return pem(certificate);
    }

    X509Certificate certificate() {
        return certificate;
    }

    /**
     * Issues a certificate that may serve and may call.
     *
     * @param organization the Kubernetes group, if any
     * @param addresses IP addresses and DNS names under which a server is reached
     */
    Identity issue(String commonName, @Nullable String organization, List<String> addresses) {
        String name = (organization == null ? "" : "O=" + organization + ",") + "CN=" + commonName;
        X509Certificate issued = sign(
                new X500Principal(name), LeafKey.SHARED, certificate.getSubjectX500Principal(), key, addresses, false);
        return new Identity(pem(issued), pem(LeafKey.SHARED.getPrivate()));
    }

    /** A bare key, for signing service account tokens, in the only form of an elliptic one (RFC 5915, with its curve) that the API server takes. */
    static String newKeyPem() {
        KeyPair pair = newAuthorityKey();
        org.bouncycastle.asn1.sec.ECPrivateKey key = new org.bouncycastle.asn1.sec.ECPrivateKey(
                256,
                ((ECPrivateKey) pair.getPrivate()).getS(),
                SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded()).getPublicKeyData(),
                SECObjectIdentifiers.secp256r1);
        try {
            return pem(new PemObject("EC PRIVATE KEY", key.getEncoded()));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write a key", e);
        }
    }

    private static KeyPair newAuthorityKey() {
        return newKey("EC", 256);
    }

    /** Made when the first certificate is issued. */
    private static final class LeafKey {
        static final KeyPair SHARED = newKey("RSA", 2048);
    }

    private static KeyPair newKey(String algorithm, int bits) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            generator.initialize(bits);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no " + algorithm, e);
        }
    }

    private static X509Certificate sign(
            X500Principal subject,
            KeyPair subjectKey,
            X500Principal issuer,
            KeyPair issuerKey,
            List<String> addresses,
            boolean authority) {
        Instant now = Instant.now();
        // An hour back: clocks of machines that share a directory differ.
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(120, RANDOM),
                Date.from(now.minus(Duration.ofHours(1))),
                Date.from(now.plus(VALIDITY)),
                subject,
                subjectKey.getPublic());
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
            builder.addExtension(
                    Extension.keyUsage,
                    true,
                    new KeyUsage(
                            authority
                                    ? KeyUsage.keyCertSign | KeyUsage.cRLSign
                                    : KeyUsage.digitalSignature | KeyUsage.keyEncipherment));
            if (!authority) {
                builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(new KeyPurposeId[] {
                    KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth
                }));
            }
            if (!addresses.isEmpty()) {
                builder.addExtension(Extension.subjectAlternativeName, false, alternativeNames(addresses));
            }
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(
                            new JcaContentSignerBuilder("SHA256withECDSA").build(issuerKey.getPrivate())));
        } catch (CertIOException | OperatorCreationException | GeneralSecurityException e) {
            throw new IllegalStateException("cannot sign the certificate of " + subject, e);
        }
    }

    private static GeneralNames alternativeNames(List<String> addresses) {
        List<GeneralName> names = new ArrayList<>();
        for (String address : addresses) {
            boolean isIp = address.matches("[0-9.]+|.*:.*");
            names.add(new GeneralName(isIp ? GeneralName.iPAddress : GeneralName.dNSName, address));
        }
        return new GeneralNames(names.toArray(GeneralName[]::new));
    }

    private static String pem(Object object) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write PEM", e);
        }
        return text.toString();
    }
}
