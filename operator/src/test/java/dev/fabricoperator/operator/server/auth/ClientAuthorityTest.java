/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.operator.server.http.TestAuthority;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.Test;

class ClientAuthorityTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant FROM = NOW.minus(Duration.ofDays(1));
    private static final Instant TO = NOW.plus(Duration.ofDays(1));

    private final TestAuthority authority = new TestAuthority("front-proxy-ca");
    private final X509Certificate root = authority.certificate(FROM, TO);
    private final ClientAuthority clients = ClientAuthority.NONE.next(TestAuthority.pem(root), List.of("front-proxy"));

    @Test
    void withoutAnAuthorityNobodyIsTrusted() {
        assertThat(clients.next(null, List.of())).isSameAs(ClientAuthority.NONE);
        assertThat(clients.next(" ", List.of())).isSameAs(ClientAuthority.NONE);
        X509Certificate own = issue(authority, "front-proxy", TO, KeyPurposeId.id_kp_clientAuth);
        assertThat(ClientAuthority.NONE.trusts(List.of(own), Date.from(NOW))).isFalse();
    }

    @Test
    void anAuthorityThatIsNoneIsAnError() {
        assertThatThrownBy(() -> clients.next("nonsense", List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void withoutNamesAllThatTheAuthorityHasSignedAreTrusted() {
        X509Certificate own = issue(authority, "somebody", TO, KeyPurposeId.id_kp_clientAuth);
        assertThat(clients.next(TestAuthority.pem(root), List.of()).trusts(List.of(own), Date.from(NOW)))
                .isTrue();
    }

    @Test
    void aClientWhomTheAuthorityHasSignedIsTrusted() {
        assertThat(trusted(issue(authority, "front-proxy", TO, KeyPurposeId.id_kp_clientAuth)))
                .isTrue();
    }

    @Test
    void anotherAuthorityOfTheSameNameSignsNobody() {
        TestAuthority forger = new TestAuthority("front-proxy-ca");
        X509Certificate forged = issue(forger, "front-proxy", TO, KeyPurposeId.id_kp_clientAuth);
        assertThat(trusted(forged)).isFalse();
        assertThat(clients.trusts(List.of(forged, forger.certificate(FROM, TO)), Date.from(NOW)))
                .isFalse();
        assertThat(clients.trusts(List.of(forged, root), Date.from(NOW))).isFalse();
    }

    @Test
    void anotherNameOrPurposeOrTimeIsNotTrusted() {
        assertThat(trusted(issue(authority, "somebody", TO, KeyPurposeId.id_kp_clientAuth)))
                .isFalse();
        assertThat(trusted(issue(authority, "front-proxy", TO, KeyPurposeId.id_kp_serverAuth)))
                .isFalse();
        assertThat(trusted(issue(authority, "front-proxy", FROM, KeyPurposeId.id_kp_clientAuth)))
                .isFalse();
    }

    private boolean trusted(X509Certificate own) {
        return clients.trusts(List.of(own), Date.from(NOW));
    }

    private static X509Certificate issue(TestAuthority by, String name, Instant to, KeyPurposeId purpose) {
        return by.issue(name, FROM.minus(Duration.ofDays(1)), to, purpose).certificate();
    }
}
