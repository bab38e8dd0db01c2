/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fabricoperator.operator.server.http.TestAuthority;
import io.vertx.core.MultiMap;
import java.lang.reflect.Proxy;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSession;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.Test;

/** A TLS session that counts how often its certificates are validated cannot be had, so that this one is played. */
class FrontProxyTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant END = NOW.plus(Duration.ofDays(1));

    private final TestAuthority authority = new TestAuthority("front-proxy-ca");
    private final Map<String, String> data = Map.of(
            "requestheader-client-ca-file",
            TestAuthority.pem(authority.certificate(NOW.minus(Duration.ofDays(1)), NOW.plus(Duration.ofDays(9)))));
    private final FrontProxy proxy = FrontProxy.NONE.next(data);
    private final AtomicInteger validations = new AtomicInteger();
    private final SSLSession session = session(authority
            .issue("front-proxy", NOW.minus(Duration.ofDays(1)), END, KeyPurposeId.id_kp_clientAuth)
            .certificate());

    @Test
    void aSessionsCertificatesAreValidatedOnce() {
        for (int request = 0; request < 100; request++) {
            assertThat(proxy.next(data).trusts(session, NOW)).isTrue();
        }
        assertThat(validations).hasValue(1);
    }

    @Test
    void whatWasFoundCountsNoLongerThanTheCertificates() {
        assertThat(proxy.trusts(session, NOW)).isTrue();
        assertThat(proxy.trusts(session, END.plusSeconds(1))).isFalse();
    }

    @Test
    void anotherAuthorityValidatesTheSessionAnew() {
        assertThat(proxy.trusts(session, NOW)).isTrue();
        TestAuthority other = new TestAuthority("front-proxy-ca");
        FrontProxy next = proxy.next(Map.of(
                "requestheader-client-ca-file",
                TestAuthority.pem(other.certificate(NOW.minus(Duration.ofDays(1)), END))));
        assertThat(next.trusts(session, NOW)).isFalse();
        assertThat(proxy.next(Map.of()).trusts(session, NOW)).isFalse();
    }

    @Test
    void onlyNamesThatAreAllowedAreTheFrontProxy() {
        Map<String, String> named = new HashMap<>(data);
        named.put("requestheader-allowed-names", "[\"somebody-else\"]");
        assertThat(proxy.next(named).trusts(session, NOW)).isFalse();
    }

    @Test
    void withoutAnAuthorityNobodysHeadersAreBelieved() {
        assertThat(proxy.next(Map.of())).isSameAs(FrontProxy.NONE);
        assertThat(FrontProxy.NONE.caller(MultiMap.caseInsensitiveMultiMap().add("X-Remote-User", "admin")))
                .isNull();
    }

    private SSLSession session(X509Certificate shown) {
        Map<String, Object> values = new HashMap<>();
        return (SSLSession) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {SSLSession.class}, (self, method, arguments) -> {
                    switch (method.getName()) {
                        case "getValue" -> {
                            return values.get(arguments[0]);
                        }
                        case "putValue" -> values.put((String) arguments[0], Objects.requireNonNull(arguments[1]));
                        default -> {
                            validations.incrementAndGet();
                            return new X509Certificate[] {shown};
                        }
                    }
                    return null;
                });
    }
}
