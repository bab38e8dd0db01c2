/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.OpenSSLEngineOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ServingTlsTest {
    private final Vertx vertx = Vertx.vertx();
    private final TestAuthority authority = new TestAuthority("authority");

    @TempDir
    Path directory;

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
    void whereTheImagesRunBoringSslDoesIt() {
        assertThat(OpenSSLEngineOptions.isAvailable()).isTrue();
        assertThat(ServingTls.options(new ServingKey(), "TLSv1.3").getSslEngineOptions())
                .isInstanceOf(OpenSSLEngineOptions.class);
    }

    @Test
    void aListenerShowsTheCertificateOfItsTimeAndNoneBeforeTheFirst() throws IOException, GeneralSecurityException {
        ShownCertificate serving = new ShownCertificate(vertx, directory, () -> null);
        HttpServer server = listen(serving, "TLSv1.2", "TLSv1.3");
        assertThatThrownBy(() -> shown(server, "TLSv1.3")).isInstanceOf(SSLException.class);

        for (String name : new String[] {"first", "second"}) {
            write(name);
            serving.refresh();
            assertThat(shown(server, "TLSv1.3")).isEqualTo("CN=" + name);
            assertThat(shown(server, "TLSv1.2")).isEqualTo("CN=" + name);
        }
    }

    @Test
    void protocolsThatAreNotNamedAreNotSpoken() throws IOException, GeneralSecurityException {
        write("only");
        HttpServer server = listen(new ShownCertificate(vertx, directory, () -> null), "TLSv1.3");

        assertThatThrownBy(() -> shown(server, "TLSv1.2")).isInstanceOf(SSLException.class);
        assertThat(shown(server, "TLSv1.3")).isEqualTo("CN=only");
    }

    private HttpServer listen(ShownCertificate serving, String... protocols) {
        return vertx.createHttpServer(ServingTls.options(serving.keyManager(), protocols)
                        .setHost("127.0.0.1")
                        .setPort(0))
                .requestHandler(request -> request.response().end())
                .listen()
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    private void write(String name) throws IOException {
        Instant now = Instant.now();
        TestAuthority.Identity identity =
                authority.issue(name, now, now.plus(Duration.ofDays(1)), KeyPurposeId.id_kp_serverAuth);
        Files.writeString(directory.resolve("tls.crt"), TestAuthority.pem(identity.certificate()));
        Files.writeString(directory.resolve("tls.key"), TestAuthority.pem(identity.key()));
    }

    private static String shown(HttpServer server, String protocol) throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        try (SSLSocket socket = (SSLSocket)
                context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), server.actualPort())) {
            socket.setEnabledProtocols(new String[] {protocol});
            socket.startHandshake();
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                    .getSubjectX500Principal()
                    .getName();
        }
    }
}
