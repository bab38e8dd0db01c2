/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.certificate;

import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import java.util.Set;
import javax.net.ssl.X509KeyManager;

/**
 * TLS of the listeners that pods and the API server call. Each pod of a job makes a connection of its own, and what handshakes cost is most of
 * what it costs the server: BoringSSL takes 0.5 s of CPU for the first of a process and 10 ms for each of the next, Java's own 3 s and 45 ms.
 * Where the library does not load ({@code /tmp} without exec, another C library), Java's own serves.
 */
public final class ServingTls {
    private ServingTls() {}

    /** @param protocols such as {@code TLSv1.3}; no others are spoken */
    public static HttpServerOptions options(X509KeyManager certificate, String... protocols) {
        HttpServerOptions options = new HttpServerOptions()
                .setSsl(true)
                .setUseAlpn(true)
                .setEnabledSecureTransportProtocols(Set.of(protocols))
                .setKeyCertOptions(KeyCertOptions.wrap(certificate));
        if (OpenSSLEngineOptions.isAvailable()) {
            options.setSslEngineOptions(new OpenSSLEngineOptions());
        }
        return options;
    }
}
