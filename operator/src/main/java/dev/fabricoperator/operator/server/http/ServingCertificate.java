/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import dev.fabricoperator.operator.cluster.KeyPairPem;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.function.Supplier;
import javax.net.ssl.X509KeyManager;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The certificate that a listener shows: {@code tls.crt} and {@code tls.key} of a directory where both are there, else what is
 * given otherwise.
 *
 * <p>Files are read again when their bytes have changed, as the kubelet changes them in a mounted Secret. Bytes that are no certificate
 * and key change nothing.
 */
final class ServingCertificate {
    private static final Logger LOG = Logger.getLogger(ServingCertificate.class);

    private final Vertx vertx;
    private final Path directory;
    private final Supplier<@Nullable KeyPairPem> otherwise;
    private final ReplaceableKeyManager key = new ReplaceableKeyManager();
    private @Nullable KeyPairPem seen;

    ServingCertificate(Vertx vertx, Path directory, Supplier<@Nullable KeyPairPem> otherwise) {
        this.vertx = vertx;
        this.directory = directory;
        this.otherwise = otherwise;
        refresh();
    }

    /** What the listener uses; later calls of {@link #refresh} change what it shows. Without a certificate no handshake succeeds. */
    X509KeyManager keyManager() {
        return key;
    }

    /** Looks whether another certificate is to be shown. */
    synchronized void refresh() {
        KeyPairPem found = mounted(directory);
        String place = directory.toString();
        if (found == null) {
            found = otherwise.get();
            place = "the operator's Secret";
        }
        if (found == null || found.equals(seen)) {
            return;
        }
        seen = found;
        try {
            key.replace(keyManager(found));
            LOG.infof("certificate of %s", place);
        } catch (GeneralSecurityException e) {
            LOG.warnf("no certificate and key in %s, and the last one stays: %s", place, e.getMessage());
        }
    }

    private X509KeyManager keyManager(KeyPairPem pair) throws GeneralSecurityException {
        try {
            PemKeyCertOptions options = new PemKeyCertOptions()
                    .setCertValue(buffer(pair.certificate()))
                    .setKeyValue(buffer(pair.key()));
            return Arrays.stream(options.getKeyManagerFactory(vertx).getKeyManagers())
                    .filter(X509KeyManager.class::isInstance)
                    .map(X509KeyManager.class::cast)
                    .findFirst()
                    .orElseThrow(() -> new GeneralSecurityException("no X.509 key"));
            // Vert.x throws a plain Exception.
        } catch (Exception e) {
            throw new GeneralSecurityException(e.getMessage(), e);
        }
    }

    private static Buffer buffer(String pem) {
        return Buffer.buffer(pem.getBytes(StandardCharsets.US_ASCII));
    }

    /** What a directory holds, {@code null} where one of the files is not there. */
    static @Nullable KeyPairPem mounted(Path directory) {
        try {
            Path certificate = directory.resolve("tls.crt");
            Path privateKey = directory.resolve("tls.key");
            if (!Files.exists(certificate) || !Files.exists(privateKey)) {
                return null;
            }
            return new KeyPairPem(Files.readString(certificate), Files.readString(privateKey));
        } catch (IOException e) {
            LOG.warnf("certificate in %s cannot be read: %s", directory, e.getMessage());
            return null;
        }
    }
}
