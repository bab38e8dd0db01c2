/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.cluster.KeyPairPem;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import javax.net.ssl.X509KeyManager;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServingCertificateTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final Vertx vertx = Vertx.vertx();
    private final TestAuthority authority = new TestAuthority("authority");

    @TempDir
    Path directory;

    private @Nullable KeyPairPem other;

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    @Test
    void whatTheKubeletPutsInTheDirectoryIsShownFromTheNextLookOn() throws IOException {
        write(issue("first"));
        ServingCertificate serving = serving();
        X509KeyManager keys = serving.keyManager();
        assertThat(shown(keys)).isEqualTo("CN=first");

        write(issue("second"));
        assertThat(shown(keys)).isEqualTo("CN=first");
        serving.refresh();
        assertThat(shown(keys)).isEqualTo("CN=second");
    }

    @Test
    void aHandshakeThatBeganBeforeTheExchangeEndsWithTheKeyThatItBeganWith() throws IOException {
        TestAuthority.Identity first = issue("first");
        write(first);
        ServingCertificate serving = serving();
        X509KeyManager keys = serving.keyManager();
        String alias = Objects.requireNonNull(keys.chooseServerAlias("EC", null, null));

        write(issue("second"));
        serving.refresh();

        assertThat(keys.getCertificateChain(alias)[0]).isEqualTo(first.certificate());
        assertThat(keys.getPrivateKey(alias)).isEqualTo(first.key());
    }

    @Test
    void bytesThatAreNoCertificateChangeNothing() throws IOException {
        write(issue("good"));
        ServingCertificate serving = serving();
        X509KeyManager keys = serving.keyManager();

        Files.writeString(directory.resolve("tls.crt"), "-----BEGIN CERTIFICATE-----\ntorn");
        serving.refresh();
        assertThat(shown(keys)).isEqualTo("CN=good");
        Files.delete(directory.resolve("tls.crt"));
        serving.refresh();
        assertThat(shown(keys)).isEqualTo("CN=good");
    }

    @Test
    void withoutFilesTheOtherIsShownAsSoonAsThereIsOne() throws IOException {
        ServingCertificate serving = serving();
        X509KeyManager keys = serving.keyManager();
        assertThat(keys.chooseServerAlias("EC", null, null)).isNull();

        other = pem(issue("other"));
        serving.refresh();
        assertThat(shown(keys)).isEqualTo("CN=other");
        write(issue("mounted"));
        serving.refresh();
        assertThat(shown(keys)).isEqualTo("CN=mounted");
    }

    private ServingCertificate serving() {
        return new ServingCertificate(vertx, directory, () -> other);
    }

    private TestAuthority.Identity issue(String name) {
        return authority.issue(name, START, START.plus(Duration.ofDays(1)), KeyPurposeId.id_kp_serverAuth);
    }

    private static KeyPairPem pem(TestAuthority.Identity identity) {
        return new KeyPairPem(TestAuthority.pem(identity.certificate()), TestAuthority.pem(identity.key()));
    }

    private void write(TestAuthority.Identity identity) throws IOException {
        Files.writeString(directory.resolve("tls.crt"), TestAuthority.pem(identity.certificate()));
        Files.writeString(directory.resolve("tls.key"), TestAuthority.pem(identity.key()));
    }

    private static String shown(X509KeyManager keys) {
        return chain(keys)[0].getSubjectX500Principal().getName();
    }

    private static X509Certificate[] chain(X509KeyManager keys) {
        return keys.getCertificateChain(keys.chooseServerAlias("EC", null, null));
    }
}
