/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.operator.server.http.TestAuthority;
import io.vertx.core.MultiMap;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.Test;

class FrontProxyTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant FROM = NOW.minus(Duration.ofDays(1));
    private static final Instant TO = NOW.plus(Duration.ofDays(1));

    private final TestAuthority authority = new TestAuthority("front-proxy-ca");
    private final X509Certificate root = authority.certificate(FROM, TO);
    private final FrontProxy proxy = FrontProxy.of(Map.of(
            "requestheader-client-ca-file", TestAuthority.pem(root),
            "requestheader-allowed-names", "[\"front-proxy\"]",
            "requestheader-username-headers", "[\"X-Remote-User\"]"));

    @Test
    void withoutAnAuthorityNobodysHeadersAreBelieved() {
        assertThat(FrontProxy.of(Map.of())).isSameAs(FrontProxy.NONE);
        assertThat(FrontProxy.NONE.trusts(List.of(), new Date())).isFalse();
        assertThat(FrontProxy.NONE.caller(MultiMap.caseInsensitiveMultiMap().add("X-Remote-User", "admin")))
                .isNull();
    }

    @Test
    void anAuthorityThatIsNoneIsAnError() {
        assertThatThrownBy(() -> FrontProxy.of(Map.of("requestheader-client-ca-file", "nonsense")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theClientWhomTheAuthorityHasSignedIsTheFrontProxy() {
        assertThat(trusted(issue(authority, "front-proxy", TO, KeyPurposeId.id_kp_clientAuth)))
                .isTrue();
    }

    @Test
    void anotherAuthorityOfTheSameNameSignsNoFrontProxy() {
        TestAuthority forger = new TestAuthority("front-proxy-ca");
        X509Certificate forged = issue(forger, "front-proxy", TO, KeyPurposeId.id_kp_clientAuth);
        assertThat(trusted(forged)).isFalse();
        assertThat(proxy.trusts(List.of(forged, forger.certificate(FROM, TO)), Date.from(NOW)))
                .isFalse();
        assertThat(proxy.trusts(List.of(forged, root), Date.from(NOW))).isFalse();
    }

    @Test
    void anotherNameOrPurposeOrTimeIsNoFrontProxy() {
        assertThat(trusted(issue(authority, "somebody", TO, KeyPurposeId.id_kp_clientAuth)))
                .isFalse();
        assertThat(trusted(issue(authority, "front-proxy", TO, KeyPurposeId.id_kp_serverAuth)))
                .isFalse();
        assertThat(trusted(issue(authority, "front-proxy", FROM, KeyPurposeId.id_kp_clientAuth)))
                .isFalse();
    }

    private boolean trusted(X509Certificate own) {
        return proxy.trusts(List.of(own), Date.from(NOW));
    }

    private static X509Certificate issue(TestAuthority by, String name, Instant to, KeyPurposeId purpose) {
        return by.issue(name, FROM.minus(Duration.ofDays(1)), to, purpose).certificate();
    }
}
