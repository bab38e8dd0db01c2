/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller.certificate;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The authorities of one time: the one that signs, the one that will sign next and is made known already, and the one that signed
 * before and is trusted until it ends.
 *
 * @param previousPem certificate of the last one
 */
record Authorities(
        Authority current,
        @Nullable Authority next,
        @Nullable String previousPem) {
    /** What begins later was made by a clock that was wrong; one that is off by hours, as by a time zone, must not end everybody's trust. */
    private static final Duration WRONG_CLOCK = Duration.ofDays(1);

    static Authorities first(Instant now, Duration validity) {
        return new Authorities(Authority.create(now, validity), null, null);
    }

    /**
     * What they should be at this time, this where nothing is due.
     *
     * @param validity of one that is made
     * @param handover how long the next one is known before it signs
     */
    Authorities at(Instant now, Duration validity, Duration handover) {
        Instant from = current.certificate().getNotBefore().toInstant();
        Instant end = current.certificate().getNotAfter().toInstant();
        if (from.isAfter(now.plus(WRONG_CLOCK))) {
            // Nobody trusts it.
            return first(now, validity);
        }
        Instant successor =
                from.plus(Duration.between(from, end).multipliedBy(2).dividedBy(3));
        if (next == null || next.certificate().getNotBefore().toInstant().isAfter(now.plus(WRONG_CLOCK))) {
            return now.isBefore(successor)
                    ? this
                    : new Authorities(current, Authority.create(now, validity), previousPem);
        }
        boolean known =
                !now.isBefore(next.certificate().getNotBefore().toInstant().plus(handover));
        boolean last = !now.isBefore(end);
        return known || last ? new Authorities(next, null, current.certificatePem()) : this;
    }

    /** All that are to be trusted, as PEM. */
    String bundlePem() {
        Authority following = next;
        Set<String> all = Stream.of(
                        current.certificatePem(),
                        following == null ? "" : following.certificatePem(),
                        previousPem == null ? "" : previousPem)
                .filter(pem -> !pem.isEmpty())
                .collect(Collectors.toCollection(LinkedHashSet::new));
        return String.join("", all);
    }
}
