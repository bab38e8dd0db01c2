/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fabricoperator.operator.cluster.KeyPairPem;
import java.security.GeneralSecurityException;
import java.security.SignatureException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthoritiesTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration YEAR = Duration.ofDays(365);
    private static final Duration VALIDITY = YEAR.multipliedBy(9);
    private static final Duration HANDOVER = Duration.ofDays(90);
    private static final List<String> NAMES = List.of("a.example.svc", "b.example.svc");

    @Test
    void oneAuthorityServesForTwoThirdsOfItsLife() {
        Authorities first = Authorities.first(START, VALIDITY);
        assertThat(at(first, YEAR.multipliedBy(5))).isSameAs(first);
        Authorities two = at(first, YEAR.multipliedBy(6));
        assertThat(two.current()).isEqualTo(first.current());
        assertThat(two.next()).isNotNull();
        assertThat(at(two, YEAR.multipliedBy(6).plusDays(80))).isSameAs(two);
    }

    @Test
    void theNextOneSignsOnceItHasBeenKnownForTheHandover() {
        Authorities first = Authorities.first(START, VALIDITY);
        Authorities two = at(first, YEAR.multipliedBy(6));
        Authorities after = at(two, YEAR.multipliedBy(6).plus(HANDOVER));
        assertThat(after.current()).isEqualTo(two.next());
        assertThat(after.next()).isNull();
        assertThat(after.bundlePem())
                .contains(first.current().certificatePem())
                .contains(after.current().certificatePem());
    }

    @Test
    void atTheEndOfTheLastTheNextOneSignsHoweverShortlyItIsKnown() {
        Authorities late = at(Authorities.first(START, VALIDITY), VALIDITY.minusDays(1));
        Authorities after = at(late, VALIDITY);
        assertThat(after.current()).isEqualTo(late.next());
    }

    @Test
    void whoeverTrustsTheBundleOfAnyTimeAcceptsWhatIsShownUntilTheHandoverIsOver() throws GeneralSecurityException {
        Authorities now = Authorities.first(START, VALIDITY);
        KeyPairPem before = now.current().issue(NAMES, START.plus(YEAR.multipliedBy(6)), HANDOVER);
        Authorities two = at(now, YEAR.multipliedBy(6));
        Authorities after = at(two, YEAR.multipliedBy(6).plus(HANDOVER));
        Instant handedOver = START.plus(YEAR.multipliedBy(6)).plus(HANDOVER).minusSeconds(1);
        KeyPairPem next = after.current().issue(NAMES, handedOver, HANDOVER);
        accept(two.bundlePem(), before, handedOver.minusSeconds(1));
        accept(two.bundlePem(), next, handedOver);
        accept(after.bundlePem(), before, handedOver.minusSeconds(1));
        assertThatThrownBy(() -> accept(now.bundlePem(), next, handedOver))
                .isInstanceOf(GeneralSecurityException.class);
    }

    @Test
    void anAuthorityIsReadBackFromItsPem() throws GeneralSecurityException {
        Authority made = Authority.create(START, VALIDITY);
        assertThat(Authority.read(new KeyPairPem(made.certificatePem(), made.keyPem())))
                .isEqualTo(made);
        assertThatThrownBy(() -> Authority.read(new KeyPairPem(made.certificatePem(), "torn")))
                .isInstanceOf(GeneralSecurityException.class);
    }

    @Test
    void aServingCertificateIsReplacedAfterTwoThirdsOfItsLifeOrForOtherNamesOrAnotherAuthority() {
        Authority authority = Authority.create(START, VALIDITY);
        KeyPairPem pair = authority.issue(NAMES, START, Duration.ofDays(90));
        assertThat(ServingPlan.stillDoes(pair, authority, NAMES, START.plus(Duration.ofDays(59))))
                .isTrue();
        assertThat(ServingPlan.stillDoes(pair, authority, NAMES, START.plus(Duration.ofDays(61))))
                .isFalse();
        assertThat(ServingPlan.stillDoes(pair, authority, List.of("a.example.svc"), START))
                .isFalse();
        assertThat(ServingPlan.stillDoes(pair, Authority.create(START, VALIDITY), NAMES, START))
                .isFalse();
        assertThat(ServingPlan.stillDoes(new KeyPairPem("torn", ""), authority, NAMES, START))
                .isFalse();
    }

    @Test
    void noCertificateOutlivesItsAuthority() throws GeneralSecurityException {
        Authority authority = Authority.create(START, Duration.ofDays(10));
        X509Certificate issued =
                Authority.certificate(authority.issue(NAMES, START, VALIDITY).certificate());
        assertThat(issued.getNotAfter()).isEqualTo(authority.certificate().getNotAfter());
    }

    @ParameterizedTest
    @ValueSource(longs = {-90, 90})
    void aClockThatIsSetRenewsNothingAndWhatWasMadeBeforeIsAccepted(long seconds) throws GeneralSecurityException {
        Authorities made = Authorities.first(START, VALIDITY);
        KeyPairPem pair = made.current().issue(NAMES, START, Duration.ofDays(90));
        Instant set = START.plusSeconds(seconds);

        assertThat(made.at(set, VALIDITY, HANDOVER)).isSameAs(made);
        assertThat(ServingPlan.stillDoes(pair, made.current(), NAMES, set)).isTrue();
        accept(made.bundlePem(), pair, set);
    }

    /** As a machine without a battery begins, or one whose clock was set to another year. */
    @Test
    void whatAClockThatWasAheadHasMadeIsMadeAnewOnceItIsSetRight() throws GeneralSecurityException {
        Instant wrong = START.plus(YEAR);
        Authorities ahead = Authorities.first(wrong, VALIDITY);
        KeyPairPem pair = ahead.current().issue(NAMES, wrong, Duration.ofDays(90));
        assertThatThrownBy(() -> accept(ahead.bundlePem(), pair, START)).isInstanceOf(GeneralSecurityException.class);

        assertThat(ServingPlan.stillDoes(pair, ahead.current(), NAMES, START)).isFalse();
        Authorities right = ahead.at(START, VALIDITY, HANDOVER);
        accept(right.bundlePem(), right.current().issue(NAMES, START, Duration.ofDays(90)), START);
        assertThat(ahead.at(wrong.minus(Duration.ofHours(12)), VALIDITY, HANDOVER))
                .as("a controller whose time zone is wrong ends nobody's trust")
                .isSameAs(ahead);
    }

    @Test
    void aSuccessorThatAClockThatWasAheadHasMadeIsMadeAnewInTime() {
        Authorities made = Authorities.first(START, VALIDITY);
        Authorities ahead =
                made.at(START.plus(VALIDITY.multipliedBy(4).dividedBy(5)).plus(YEAR), VALIDITY, HANDOVER);
        Authorities withSuccessor =
                new Authorities(made.current(), ahead.next() == null ? ahead.current() : ahead.next(), null);

        Authorities due = at(withSuccessor, VALIDITY.multipliedBy(3).dividedBy(4));

        assertThat(due.current()).isEqualTo(made.current());
        assertThat(due.next()).isNotNull().isNotEqualTo(withSuccessor.next());
        assertThat(at(due, VALIDITY.multipliedBy(3).dividedBy(4).plus(HANDOVER)).current())
                .isEqualTo(due.next());
    }

    private static Authorities at(Authorities authorities, Duration later) {
        return authorities.at(START.plus(later), VALIDITY, HANDOVER);
    }

    /** As a client does that trusts a bundle. */
    private static void accept(String bundle, KeyPairPem shown, Instant when) throws GeneralSecurityException {
        X509Certificate certificate = Authority.certificate(shown.certificate());
        String[] each = bundle.split("(?<=-----END CERTIFICATE-----\\R)");
        GeneralSecurityException last = new SignatureException("nobody is trusted");
        for (String pem : each) {
            try {
                PKIXParameters parameters =
                        new PKIXParameters(Set.of(new TrustAnchor(Authority.certificate(pem), null)));
                parameters.setRevocationEnabled(false);
                parameters.setDate(Date.from(when));
                Objects.requireNonNull(CertPathValidator.getInstance("PKIX")
                        .validate(
                                CertificateFactory.getInstance("X.509").generateCertPath(List.of(certificate)),
                                parameters));
                return;
            } catch (GeneralSecurityException e) {
                last = e;
            }
        }
        throw last;
    }
}
