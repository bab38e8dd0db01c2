/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.query.tls;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.X509KeyManager;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The certificate that the query API shows: {@code tls.crt} and {@code tls.key} of a directory where both are there, else one
 * that is made here and replaced after two thirds of its life.
 *
 * <p>Files are read again when their bytes have changed, as the kubelet changes them in a mounted Secret. Bytes that are no certificate
 * and key change nothing.
 */
public final class ServingCertificate {
    private static final Logger LOG = Logger.getLogger(ServingCertificate.class);
    private static final Duration VALIDITY = Duration.ofDays(30);

    private final Vertx vertx;
    private final Path directory;
    private final List<String> names;
    private final Clock clock;
    private byte @Nullable [] seen;
    private @Nullable Instant madeAnewAt;
    private @Nullable ServingKey key;

    /** @param names of a certificate that is made here, the first one its subject */
    public ServingCertificate(Vertx vertx, Path directory, List<String> names, Clock clock) {
        this.vertx = vertx;
        this.directory = directory;
        this.names = List.copyOf(names);
        this.clock = clock;
    }

    /** What the listener uses; later calls of {@link #refresh} change what it shows. */
    public synchronized X509KeyManager keyManager() {
        refresh();
        ServingKey ready = key;
        if (ready == null) {
            throw new IllegalStateException("there is always a certificate, if need be one of our own");
        }
        return ready;
    }

    /** Looks whether another certificate is due. */
    public synchronized void refresh() {
        byte[] files = files();
        if (files != null && !Arrays.equals(files, seen)) {
            seen = files;
            X509KeyManager mounted = mounted();
            if (mounted != null) {
                madeAnewAt = null;
                show(mounted);
                return;
            }
        }
        boolean due = madeAnewAt != null && !clock.instant().isBefore(madeAnewAt);
        if (key == null || due) {
            SelfSigned made = SelfSigned.create(names, clock.instant(), VALIDITY);
            madeAnewAt = clock.instant().plus(VALIDITY.multipliedBy(2).dividedBy(3));
            LOG.infof("certificate made here, SHA-256 %s", fingerprint(made.certificate()));
            show(keyManager(made));
        }
    }

    private void show(X509KeyManager next) {
        if (key == null) {
            key = new ServingKey(next);
        } else {
            key.replace(next);
        }
    }

    private byte @Nullable [] files() {
        try {
            Path certificate = directory.resolve("tls.crt");
            Path privateKey = directory.resolve("tls.key");
            if (!Files.exists(certificate) || !Files.exists(privateKey)) {
                return null;
            }
            return (Files.readString(certificate) + Files.readString(privateKey)).getBytes();
        } catch (IOException e) {
            LOG.warnf("certificate in %s cannot be read, and the last one stays: %s", directory, e.getMessage());
            return null;
        }
    }

    private @Nullable X509KeyManager mounted() {
        try {
            PemKeyCertOptions options = new PemKeyCertOptions()
                    .setCertValue(Buffer.buffer(Files.readAllBytes(directory.resolve("tls.crt"))))
                    .setKeyValue(Buffer.buffer(Files.readAllBytes(directory.resolve("tls.key"))));
            X509KeyManager found = first(options.getKeyManagerFactory(vertx));
            LOG.infof("certificate of %s", directory);
            return found;
            // Vert.x throws a plain Exception.
        } catch (Exception e) {
            LOG.warnf("no certificate and key in %s, and the last one stays: %s", directory, e.getMessage());
            return null;
        }
    }

    private static X509KeyManager keyManager(SelfSigned made) {
        try {
            char[] password = new char[0];
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, password);
            store.setKeyEntry("serving", made.key(), password, new X509Certificate[] {made.certificate()});
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, password);
            return first(factory);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("every Java platform has PKCS12 key stores in memory", e);
        }
    }

    private static X509KeyManager first(KeyManagerFactory factory) {
        return Arrays.stream(factory.getKeyManagers())
                .filter(X509KeyManager.class::isInstance)
                .map(X509KeyManager.class::cast)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("a factory of X.509 keys gives a manager of them"));
    }

    private static String fingerprint(X509Certificate certificate) {
        try {
            return HexFormat.ofDelimiter(":")
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a certificate that was just made has an encoding", e);
        }
    }
}
