/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import io.fabric8.kubernetes.api.model.Config;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.http.HttpClient;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;

/**
 * Code that every question to a cluster needs, loaded and run once beside the parsing of the command line: a kubeconfig is read and TLS begun with on
 * one processor while the other is busy with options.
 */
public final class ClusterClasses {
    private static final TrustManager[] NOBODY = {};

    private ClusterClasses() {}

    /** Returns at once. What fails here fails again where it is needed, and is told there. */
    public static void load() {
        Thread.ofPlatform().daemon().name("cluster-classes").start(() -> {
            try {
                Serialization.unmarshal("contexts: [{name: c, context: {}}]", Config.class);
                beginTls();
            } catch (GeneralSecurityException | SSLException | RuntimeException e) {
                return;
            }
        });
    }

    private static void beginTls() throws GeneralSecurityException, SSLException {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(null, NOBODY, null);
        SSLEngine engine = context.createSSLEngine("localhost", 443);
        engine.setUseClientMode(true);
        engine.beginHandshake();
        HttpClient.newBuilder().sslContext(context).build().shutdownNow();
    }
}
