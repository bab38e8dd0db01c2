/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.query.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.junit.jupiter.api.Test;

class SelfSignedTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void isSignedByItsOwnKeyAndNamesItsServers() throws GeneralSecurityException {
        SelfSigned made = SelfSigned.create(List.of("a.example.svc", "localhost"), NOW, Duration.ofDays(30));
        made.certificate().verify(made.certificate().getPublicKey());
        made.certificate().checkValidity(Date.from(NOW));
        assertThat(made.certificate().getNotAfter()).isEqualTo(Date.from(NOW.plus(Duration.ofDays(30))));
        assertThat(made.certificate().getSubjectX500Principal().getName()).isEqualTo("CN=a.example.svc");
        assertThat(made.certificate().getSubjectAlternativeNames())
                .containsExactlyInAnyOrder(List.of(2, "a.example.svc"), List.of(2, "localhost"));
        assertThat(made.certificate().getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
        assertThat(made.certificate().getSerialNumber()).isPositive();
    }
}
