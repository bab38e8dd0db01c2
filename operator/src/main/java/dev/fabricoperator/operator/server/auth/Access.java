/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Who a token belongs to, and what they may; the API server's answers, remembered briefly.
 *
 * <p>Tokens are remembered by their SHA-256 only. Those that are not valid have a memory of their own, so that whoever sends
 * random ones displaces nobody. At most {@link #ASKED_AT_ONCE} questions are on their way to the API server.
 */
public final class Access {
    /** Longest token that is looked at; ServiceAccount tokens have some 1,200 characters. */
    public static final int MAXIMUM_TOKEN = 16 * 1024;

    private static final int REMEMBERED = 4096;
    private static final int REMEMBERED_INVALID = 1024;
    private static final int ASKED_AT_ONCE = 32;
    private static final long PATIENCE_SECONDS = 2;

    private final Reviews reviews;
    private final Semaphore asking = new Semaphore(ASKED_AT_ONCE);
    private final ExpiringCache<String, Caller> callers;
    private final ExpiringCache<String, Boolean> invalid;
    private final ExpiringCache<Question, Boolean> permissions;

    private record Question(Caller caller, Wish wish) {}

    @FunctionalInterface
    private interface Review<T> {
        T ask() throws AccessUnknownException;
    }

    public Access(Reviews reviews, Duration memory, Clock clock) {
        this.reviews = reviews;
        callers = new ExpiringCache<>(REMEMBERED, memory, clock);
        invalid = new ExpiringCache<>(REMEMBERED_INVALID, memory, clock);
        permissions = new ExpiringCache<>(REMEMBERED, memory, clock);
    }

    /** {@code null} for a token that is not valid. */
    public @Nullable Caller authenticate(String token) throws AccessUnknownException {
        if (token.isEmpty() || token.length() > MAXIMUM_TOKEN) {
            return null;
        }
        String key = digest(token);
        Caller known = callers.get(key);
        if (known != null || invalid.get(key) != null) {
            return known;
        }
        Optional<Caller> found = asked(() -> Optional.ofNullable(reviews.authenticate(token)));
        if (found.isEmpty()) {
            invalid.put(key, true);
            return null;
        }
        callers.put(key, found.get());
        return found.get();
    }

    public boolean allows(Caller caller, Wish wish) throws AccessUnknownException {
        Question question = new Question(caller, wish);
        Boolean known = permissions.get(question);
        if (known != null) {
            return known;
        }
        boolean allowed = asked(() -> reviews.allows(caller, wish));
        permissions.put(question, allowed);
        return allowed;
    }

    private <T> T asked(Review<T> review) throws AccessUnknownException {
        boolean admitted = false;
        try {
            admitted = asking.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (!admitted) {
                throw new AccessUnknownException("too many tokens and permissions are being reviewed");
            }
            return review.ask();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AccessUnknownException("interrupted", e);
        } finally {
            if (admitted) {
                asking.release();
            }
        }
    }

    private static String digest(String token) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
