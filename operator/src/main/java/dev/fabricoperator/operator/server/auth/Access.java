/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.auth;

import dev.fabricoperator.crds.SteadyClock;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** What a caller may: the API server's word, believed for a while. */
public final class Access {
    private static final int KEPT = 4096;
    private static final long PATIENCE_SECONDS = 2;

    private final ReviewClient reviews;
    private final Semaphore asking;
    private final ExpiringCache<Permission, Boolean> permissions;

    private record Permission(Caller caller, AccessAttributes attributes) {}

    public Access(ReviewClient reviews, Duration believed, ReviewSettings settings, SteadyClock clock) {
        this.reviews = reviews;
        asking = new Semaphore(settings.concurrency(), true);
        permissions = new ExpiringCache<>(KEPT, believed, clock);
    }

    /** @throws AccessUnknownException when the API server could not be asked, or not soon enough */
    public boolean allows(Caller caller, AccessAttributes attributes) throws AccessUnknownException {
        Permission permission = new Permission(caller, attributes);
        Boolean known = permissions.get(permission);
        if (known != null) {
            return known;
        }
        boolean acquired = false;
        try {
            acquired = asking.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (!acquired) {
                throw new AccessUnknownException("too many permissions are being reviewed");
            }
            boolean allowed = reviews.allows(caller, attributes);
            permissions.put(permission, allowed);
            return allowed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AccessUnknownException("interrupted", e);
        } finally {
            if (acquired) {
                asking.release();
            }
        }
    }
}
