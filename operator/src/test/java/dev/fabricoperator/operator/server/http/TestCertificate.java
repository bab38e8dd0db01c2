/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.X509KeyManager;
import org.bouncycastle.asn1.x509.KeyPurposeId;

/** What a listener shows in a test. */
public final class TestCertificate {
    private TestCertificate() {}

    /** A new key, with a certificate of a new authority. */
    public static X509KeyManager keyManager() throws Exception {
        Instant now = Instant.now();
        TestAuthority.Identity identity = new TestAuthority("authority")
                .issue("listener", now, now.plus(Duration.ofDays(1)), KeyPurposeId.id_kp_serverAuth);
        PemKeyCertOptions options = new PemKeyCertOptions()
                .setCertValue(Buffer.buffer(TestAuthority.pem(identity.certificate())))
                .setKeyValue(Buffer.buffer(TestAuthority.pem(identity.key())));
        Vertx temporary = Vertx.vertx();
        try {
            return (X509KeyManager) options.getKeyManagerFactory(temporary).getKeyManagers()[0];
        } finally {
            temporary.close();
        }
    }
}
