/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.controller;

import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.javaoperatorsdk.operator.processing.retry.Retry;

/** How a reconciliation that threw is tried again. */
final class Retries {
    private static final int FIRST_MILLIS = 500;
    private static final int MAXIMUM_MILLIS = 30_000;

    private Retries() {}

    /** Without end: an API server that is away for an hour is no reason to give up. */
    static Retry forever() {
        return new GenericRetry()
                .setInitialInterval(FIRST_MILLIS)
                .setIntervalMultiplier(2)
                .setMaxInterval(MAXIMUM_MILLIS)
                .setMaxAttempts(-1);
    }
}
