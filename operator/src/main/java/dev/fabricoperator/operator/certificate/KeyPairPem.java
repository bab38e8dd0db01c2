/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.certificate;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.net.ssl.X509KeyManager;

/**
 * A certificate, its chain after it, and its key, as the Secrets of Kubernetes hold them.
 *
 * @param certificate {@code tls.crt}
 * @param key {@code tls.key}, PKCS 1, PKCS 8 or SEC 1
 */
record KeyPairPem(String certificate, String key) {
    /** @throws GeneralSecurityException for what is no certificate with its key */
    X509KeyManager keyManager(Vertx vertx) throws GeneralSecurityException {
        try {
            PemKeyCertOptions options =
                    new PemKeyCertOptions().setCertValue(buffer(certificate)).setKeyValue(buffer(key));
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

    /** Its key is nobody's to read in a log. */
    @Override
    public String toString() {
        return "certificate and key";
    }
}
