/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.operator;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** For clients to which a server's certificate is no matter. An extended one: of others the JDK checks the server's name all the same. */
public final class TrustingAnybody extends X509ExtendedTrustManager {
    private TrustingAnybody() {}

    public static SSLContext context() throws GeneralSecurityException {
        return context(null);
    }

    /** @param own by which the client says who it is, {@code null} for nothing */
    public static SSLContext context(KeyManager @Nullable [] own) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own, new TrustManager[] {new TrustingAnybody()}, null);
        return context;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
