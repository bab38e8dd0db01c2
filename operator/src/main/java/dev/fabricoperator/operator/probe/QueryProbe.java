/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.probe;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Asks a server of the query API, as a pod of the cluster, for what everybody may ask for: {@code helm test} runs it. That it is answered says that the Service has a server, that
 * the server's certificate is the operator's, and that the server can have a token reviewed.
 */
public final class QueryProbe {
    private static final String RESOURCES = "/apis/query.fabric-operator.dev/v1alpha1";
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private QueryProbe() {}

    /** Arguments: address of the server, files with its authority and with a token, seconds in which it must answer. Exit codes: 0 it has, 1 it has not, 2 wrong arguments. */
    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length != 4) {
            System.err.println("usage: QueryProbe URL AUTHORITY-FILE TOKEN-FILE SECONDS");
            System.exit(2);
            return;
        }
        URI resources = URI.create(arguments[0]).resolve(RESOURCES);
        long deadline = System.nanoTime()
                + Duration.ofSeconds(Long.parseLong(arguments[3])).toNanos();
        String answer = "";
        do {
            try {
                HttpResponse<String> response = ask(resources, Path.of(arguments[1]), Path.of(arguments[2]));
                if (response.statusCode() == 200 && response.body().contains("\"APIResourceList\"")) {
                    System.out.println(resources + " answers");
                    return;
                }
                answer = response.statusCode() + " " + response.body().strip();
            } catch (IOException | GeneralSecurityException e) {
                // No server yet, or none with a certificate.
                answer = e.toString();
            }
            Thread.sleep(PAUSE);
        } while (System.nanoTime() - deadline < 0);
        System.err.println(resources + " does not answer: " + answer);
        System.exit(1);
    }

    private static HttpResponse<String> ask(URI resources, Path authority, Path token)
            throws IOException, GeneralSecurityException, InterruptedException {
        try (HttpClient http = HttpClient.newBuilder()
                .sslContext(trusting(authority))
                .connectTimeout(REQUEST_LIMIT)
                .build()) {
            return http.send(
                    HttpRequest.newBuilder(resources)
                            .timeout(REQUEST_LIMIT)
                            .header(
                                    "Authorization",
                                    "Bearer " + Files.readString(token).strip())
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    private static SSLContext trusting(Path authority) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        try (InputStream file = Files.newInputStream(authority)) {
            // Two of them while one takes over from the other.
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(file)) {
                trusted.setCertificateEntry("authority-" + trusted.size(), each);
            }
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }
}
