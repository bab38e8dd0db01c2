/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.Sha256;
import dev.fabricoperator.operator.server.http.FairTurns;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whose token this is: the API server's word, believed for a while.
 *
 * <p>Tokens are kept by their SHA-256 only. Those that are not valid have a memory of their own, so that whoever sends random ones displaces nobody; one that
 * says itself that it is of no use ({@link TokenForm}) is not shown to the API server at all. An address from which many invalid tokens have come waits in a
 * lane of its own, {@link ReviewSettings#suspectConcurrency} wide and slow, so that strangers neither load the API server nor keep others waiting. Where more
 * tokens come than are reviewed at one time, the namespaces that they name take turns: what they name is not proven, but whoever lies about it is soon suspect.
 */
public final class TokenAuthenticator {
    private static final int KEPT = 65_536;
    private static final int KEPT_INVALID = 4096;
    private static final int KEPT_ADDRESSES = 4096;
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    /** How many wait for a review; a listener lets in fewer requests of one address. */
    private static final int WAITING = 32_768;

    /** What an invalid token of a suspect address holds up its lane. */
    private static final Duration SUSPECT_PAUSE = Duration.ofMillis(50);

    private final ReviewClient reviews;
    private final @Nullable String audience;
    private final ReviewSettings settings;
    private final Clock clock;
    private final FairTurns lane;
    private final Semaphore suspectLane;
    private final ExpiringCache<String, Caller> valid;
    private final ExpiringCache<String, Boolean> invalid;
    private final ExpiringCache<String, Integer> invalidByAddress;
    private final Map<Outcome, Counter> outcomes = new EnumMap<>(Outcome.class);

    /** Of a token that is not known yet; a tag of a metric. */
    private enum Outcome {
        valid,
        invalid,
        implausible,
        not_reviewed
    }

    /**
     * @param audience that tokens must be made for; {@code null} for the API server's own
     * @param believed how long the API server's word on a valid token counts
     * @param subject of a valid token, by which it can be forgotten
     */
    public TokenAuthenticator(
            ReviewClient reviews,
            @Nullable String audience,
            Duration believed,
            Function<Caller, @Nullable String> subject,
            ReviewSettings settings,
            Clock clock,
            SteadyClock steady,
            MeterRegistry meters) {
        this.reviews = reviews;
        this.audience = audience;
        this.settings = settings;
        this.clock = clock;
        this.lane = new FairTurns(
                new FairTurns.Limits(settings.concurrency(), settings.concurrency(), WAITING, WAITING / 2));
        this.suspectLane = new Semaphore(settings.suspectConcurrency(), true);
        this.valid = new ExpiringCache<>(KEPT, believed, steady, subject);
        this.invalid = new ExpiringCache<>(KEPT_INVALID, settings.invalidMemory(), steady);
        this.invalidByAddress = new ExpiringCache<>(KEPT_ADDRESSES, settings.invalidMemory(), steady);
        for (Outcome outcome : Outcome.values()) {
            outcomes.put(
                    outcome,
                    Counter.builder("fabric_operator_token_reviews")
                            .description(
                                    "Tokens that were not known: what the API server said of them, or that it was not asked")
                            .tag("audience", audience == null ? "api" : audience)
                            .tag("outcome", outcome.name())
                            .register(meters));
        }
    }

    /** As {@link #authenticate(String, String, Duration)} for somebody who waits. */
    public @Nullable Caller authenticate(@Nullable String token, String address) throws AccessUnknownException {
        return authenticate(token, address, PATIENCE);
    }

    /**
     * Waits for the API server where the token is not known.
     *
     * @param address of the client
     * @param patience how long the token may wait for others before it is reviewed
     * @return {@code null} for a token that is not valid
     * @throws AccessUnknownException when the API server could not be asked, or not soon enough
     */
    public @Nullable Caller authenticate(@Nullable String token, String address, Duration patience)
            throws AccessUnknownException {
        if (token == null || token.isEmpty() || token.length() > TokenForm.MAXIMUM_LENGTH) {
            return null;
        }
        String digest = digest(token);
        Caller known = valid.get(digest);
        if (known != null || invalid.get(digest) != null) {
            return known;
        }
        TokenForm form = TokenForm.of(token, audience, clock.instant());
        if (form == null) {
            count(Outcome.implausible);
            return null;
        }
        Caller caller;
        try {
            String namespace = form.namespace();
            caller = review(token, digest, address, namespace == null ? address : "namespace " + namespace, patience);
        } catch (AccessUnknownException e) {
            count(Outcome.not_reviewed);
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            count(Outcome.not_reviewed);
            throw new AccessUnknownException("interrupted", e);
        }
        count(caller == null ? Outcome.invalid : Outcome.valid);
        return caller;
    }

    /** @param user whose turn it is among others */
    private @Nullable Caller review(String token, String digest, String address, String user, Duration patience)
            throws AccessUnknownException, InterruptedException {
        if (!isSuspect(address)) {
            if (lane.acquire(user, patience) != FairTurns.Outcome.taken) {
                throw new AccessUnknownException("too many tokens are being reviewed");
            }
            try {
                // Of a stranger's thousand tokens most came before the first was found invalid.
                if (!isSuspect(address)) {
                    return review(token, digest, address);
                }
            } finally {
                lane.release(user);
            }
        }
        if (!suspectLane.tryAcquire(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new AccessUnknownException("too many tokens are being reviewed");
        }
        try {
            Caller caller = review(token, digest, address);
            if (caller == null) {
                Thread.sleep(SUSPECT_PAUSE);
            }
            return caller;
        } finally {
            suspectLane.release();
        }
    }

    private @Nullable Caller review(String token, String digest, String address) throws AccessUnknownException {
        // Another request with the same token may have been quicker.
        Caller known = valid.get(digest);
        if (known != null || invalid.get(digest) != null) {
            return known;
        }
        long forgotten = valid.forgotten();
        Caller caller = reviews.authenticate(token, audience);
        if (caller != null) {
            valid.putUnlessForgotten(digest, caller, forgotten);
            return caller;
        }
        invalid.put(digest, true);
        invalidByAddress.merge(address, 1, Integer::sum);
        return null;
    }

    private boolean isSuspect(String address) {
        Integer count = invalidByAddress.get(address);
        return count != null && count >= settings.invalidPerAddress();
    }

    /** Forgets valid tokens of a subject of which the API server may think otherwise now. */
    public void forget(String subject) {
        valid.forget(subject);
    }

    private void count(Outcome outcome) {
        Objects.requireNonNull(outcomes.get(outcome)).increment();
    }

    private static String digest(String token) {
        return HexFormat.of().formatHex(Sha256.of(token));
    }
}
