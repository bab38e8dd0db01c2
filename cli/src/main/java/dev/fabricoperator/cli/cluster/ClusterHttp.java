/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientImpl;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Base64;
import java.util.Collection;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * HTTP clients that show and trust what the kubeconfig says. The client's own way adds all public authorities to the one that is named,
 * encrypts the person's key with a password that it knows and decrypts it again, which together take a tenth of a short command, and takes every
 * key in PKCS #8 for one of RSA.
 */
final class ClusterHttp extends JdkHttpClientFactory {
    /** In memory, and without a cipher. */
    private static final String STORE = "JKS";

    private static final char[] NO_PASSWORD = {};
    private static final Duration END = Duration.ofMillis(100);

    @Override
    public HttpClient.Builder newBuilder(Config config) {
        try {
            // Proxy, time-outs and versions; whom it trusts is said below.
            Config rest = new ConfigBuilder()
                    .withAutoConfigure(false)
                    .withMasterUrl(config.getMasterUrl())
                    .withTrustCerts(true)
                    .withHttpProxy(config.getHttpProxy())
                    .withHttpsProxy(config.getHttpsProxy())
                    .withNoProxy(config.getNoProxy())
                    .withProxyUsername(config.getProxyUsername())
                    .withProxyPassword(config.getProxyPassword())
                    .withConnectionTimeout(config.getConnectionTimeout())
                    .withHttp2Disable(config.isHttp2Disable())
                    .withTlsVersions(config.getTlsVersions())
                    .build();
            HttpClient.Builder builder = super.newBuilder(rest);
            builder.sslContext(shown(config), trusted(config)).tag(config.getRequestConfig());
            HttpClientUtils.createApplicableInterceptors(config, this).forEach(builder::addOrReplaceInterceptor);
            return builder;
        } catch (GeneralSecurityException | IOException e) {
            throw KubernetesClientException.launderThrowable(e);
        }
    }

    /**
     * The JVM waits 0.3 s at its end for threads that sleep in the kernel, as the one of an HTTP client of the JDK does that is left open. The
     * library leaves it open, and has it behind a method that is not public.
     */
    @Override
    protected void closeHttpClient(JdkHttpClientImpl closed) {
        super.closeHttpClient(closed);
        try {
            Method getter = JdkHttpClientImpl.class.getDeclaredMethod("getHttpClient");
            getter.setAccessible(true);
            java.net.http.HttpClient client = (java.net.http.HttpClient) getter.invoke(closed);
            client.shutdownNow();
            client.awaitTermination(END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static TrustManager[] trusted(Config config) throws GeneralSecurityException, IOException {
        String authority = text(config.getCaCertData(), config.getCaCertFile());
        if (config.isTrustCerts() || authority == null || isSet(config.getTrustStoreFile())) {
            return SSLUtils.trustManagers(config);
        }
        KeyStore store = empty();
        int number = 0;
        for (Certificate certificate : certificates(authority)) {
            store.setCertificateEntry(Integer.toString(number++), certificate);
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        return managers.getTrustManagers();
    }

    private static KeyManager @Nullable [] shown(Config config) throws GeneralSecurityException, IOException {
        String certificate = text(config.getClientCertData(), config.getClientCertFile());
        String key = text(config.getClientKeyData(), config.getClientKeyFile());
        if (certificate == null || key == null || isSet(config.getKeyStoreFile())) {
            return SSLUtils.keyManagers(config);
        }
        KeyStore store = empty();
        store.setKeyEntry(
                "user", PemKey.read(key), NO_PASSWORD, certificates(certificate).toArray(Certificate[]::new));
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, NO_PASSWORD);
        return managers.getKeyManagers();
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(STORE);
        store.load(null, null);
        return store;
    }

    private static Collection<? extends Certificate> certificates(String pem) throws GeneralSecurityException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.ISO_8859_1)));
    }

    /** Data in base64, as it stands in a kubeconfig; an exec plugin gives plain PEM. */
    private static @Nullable String text(@Nullable String data, @Nullable String file) throws IOException {
        if (data != null && !data.isEmpty()) {
            return data.contains("-----BEGIN")
                    ? data
                    : new String(Base64.getMimeDecoder().decode(data), StandardCharsets.ISO_8859_1);
        }
        return file == null || file.isEmpty() ? null : Files.readString(Path.of(file), StandardCharsets.ISO_8859_1);
    }

    private static boolean isSet(@Nullable String text) {
        return text != null && !text.isEmpty();
    }
}
