/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.certificate;

import dev.fabricoperator.operator.cluster.KeyPairPem;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Whether a serving certificate still does: signed by the authority of the time, for these names, in the first two thirds of its life, which has begun. */
final class ServingPlan {
    private static final int DNS_NAME = 2;

    private ServingPlan() {}

    static boolean stillDoes(KeyPairPem pair, Authority authority, List<String> names, Instant now) {
        try {
            X509Certificate certificate = Authority.certificate(pair.certificate());
            certificate.verify(authority.certificate().getPublicKey());
            Instant from = certificate.getNotBefore().toInstant();
            Duration life = Duration.between(from, certificate.getNotAfter().toInstant());
            return names(certificate).equals(new HashSet<>(names))
                    && !now.isBefore(from)
                    && now.isBefore(from.plus(life.multipliedBy(2).dividedBy(3)));
        } catch (GeneralSecurityException e) {
            // What cannot be read, or was signed by another, is replaced.
            return false;
        }
    }

    private static Set<String> names(X509Certificate certificate) throws CertificateParsingException {
        Set<String> names = new HashSet<>();
        Collection<List<?>> alternatives = certificate.getSubjectAlternativeNames();
        if (alternatives != null) {
            for (List<?> alternative : alternatives) {
                if (alternative.getFirst().equals(DNS_NAME)) {
                    names.add(String.valueOf(alternative.get(1)));
                }
            }
        }
        return names;
    }
}
