/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a server that asks for a certificate and answers with the name in it. */
class ClusterHttpTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    static Path directory;

    private static final Map<String, KeyStore> MADE = new HashMap<>();

    private HttpsServer https;

    /** In PEM. */
    private record Identity(String certificate, String key) {
        static Identity of(KeyStore store) throws GeneralSecurityException {
            return new Identity(
                    PemKeyTest.pem("CERTIFICATE", store.getCertificate("it").getEncoded()),
                    PemKeyTest.pem("PRIVATE KEY", store.getKey("it", PASSWORD).getEncoded()));
        }
    }

    /** By name and algorithm of the key. */
    @BeforeAll
    static void make() throws Exception {
        for (String name : List.of("server-EC", "user-EC", "user-Ed25519")) {
            String[] words = name.split("-");
            Path file = directory.resolve(name);
            Process keytool = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-alias",
                            "it",
                            "-dname",
                            "CN=" + words[0],
                            "-ext",
                            "san=ip:127.0.0.1",
                            "-keyalg",
                            words[1],
                            "-keystore",
                            file.toString(),
                            "-storepass",
                            "changeit")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(keytool.waitFor()).as(said).isZero();
            MADE.put(name, KeyStore.getInstance(file.toFile(), PASSWORD));
        }
    }

    private static KeyStore made(String name) {
        return Objects.requireNonNull(MADE.get(name));
    }

    @BeforeEach
    void serve() throws IOException, GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(made("server-EC"), PASSWORD);
        KeyStore clients = KeyStore.getInstance("PKCS12");
        clients.load(null, null);
        for (String name : List.of("user-EC", "user-Ed25519")) {
            clients.setCertificateEntry(name, made(name).getCertificate("it"));
        }
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(clients);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trusted.getTrustManagers(), null);
        https = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        https.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters asked = context.getDefaultSSLParameters();
                asked.setWantClientAuth(true);
                parameters.setSSLParameters(asked);
            }
        });
        https.createContext("/", exchange -> {
            try (exchange) {
                String name;
                try {
                    name = ((HttpsExchange) exchange)
                            .getSSLSession()
                            .getPeerPrincipal()
                            .getName();
                } catch (SSLPeerUnverifiedException e) {
                    name = "nobody";
                }
                byte[] answer = name.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            }
        });
        https.start();
    }

    @AfterEach
    void stop() {
        https.stop(0);
    }

    private ConfigBuilder cluster(String authority) throws GeneralSecurityException {
        return new ConfigBuilder(Config.empty())
                .withMasterUrl("https://127.0.0.1:" + https.getAddress().getPort() + "/")
                .withRequestRetryBackoffLimit(0)
                .withCaCertData(base64(Identity.of(made(authority)).certificate()));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String asked(ConfigBuilder cluster) {
        Config config = cluster.build();
        try (HttpClient client = new ClusterHttp().newBuilder(config).build()) {
            return client.sendAsync(
                            client.newHttpRequestBuilder()
                                    .uri(URI.create(config.getMasterUrl() + "api"))
                                    .build(),
                            String.class)
                    .join()
                    .body();
        }
    }

    @Test
    void theAuthorityOfTheKubeconfigIsTrustedAndNoOther() throws Exception {
        assertThat(asked(cluster("server-EC"))).isEqualTo("nobody");
        assertThat(ClusterHttp.trusted(cluster("server-EC").build()))
                .singleElement()
                .isInstanceOfSatisfying(
                        X509TrustManager.class,
                        trusted -> assertThat(trusted.getAcceptedIssuers()).hasSize(1));
        ConfigBuilder other = cluster("user-EC");
        assertThatThrownBy(() -> asked(other)).hasStackTraceContaining("unable to find valid certification path");
        assertThat(asked(cluster("user-EC").withTrustCerts(true))).isEqualTo("nobody");
    }

    @ParameterizedTest
    @ValueSource(strings = {"user-EC", "user-Ed25519"})
    void aPersonsCertificateIsShownWhateverItsAlgorithmIs(String name) throws Exception {
        Identity user = Identity.of(made(name));
        assertThat(asked(cluster("server-EC")
                        .withClientCertData(base64(user.certificate()))
                        .withClientKeyData(base64(user.key()))))
                .isEqualTo("CN=user");
        Path certificate = Files.writeString(directory.resolve("certificate.pem"), user.certificate());
        Path key = Files.writeString(directory.resolve("key.pem"), user.key());
        assertThat(asked(cluster("server-EC")
                        .withClientCertFile(certificate.toString())
                        .withClientKeyFile(key.toString())))
                .isEqualTo("CN=user");
    }

    @Test
    void aClientThatIsClosedLeavesNoThreadThatTheJvmWouldWaitFor() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        asked(cluster("server-EC"));
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(
                        thread -> !before.contains(thread) && thread.getName().contains("SelectorManager"))
                .isEmpty();
    }
}
