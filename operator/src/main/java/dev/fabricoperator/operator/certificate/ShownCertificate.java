/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.certificate;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
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
final class ShownCertificate {
    private static final Logger LOG = Logger.getLogger(ShownCertificate.class);

    private final Vertx vertx;
    private final Path directory;
    private final Supplier<@Nullable KeyPairPem> otherwise;
    private final ServingKey key = new ServingKey();
    private @Nullable KeyPairPem seen;

    ShownCertificate(Vertx vertx, Path directory, Supplier<@Nullable KeyPairPem> otherwise) {
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
            key.replace(found.keyManager(vertx));
            LOG.infof("certificate of %s", place);
        } catch (GeneralSecurityException e) {
            LOG.warnf("no certificate and key in %s, and the last one stays: %s", place, e.getMessage());
        }
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
