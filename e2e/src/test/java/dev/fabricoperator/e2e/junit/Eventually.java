/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.junit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;

/** What controllers bring about after a while. */
public final class Eventually {
    /** How long a test waits for what takes seconds on a quiet machine: a test that fails may take long, one that passes must not depend on what else the machine does. */
    public static final Duration LIMIT = Duration.ofMinutes(4);

    private Eventually() {}

    /** Waits until it holds; what it throws before counts as not yet. */
    public static void eventually(ThrowingRunnable assertion) {
        Awaitility.await().atMost(LIMIT).ignoreExceptions().untilAsserted(assertion);
    }
}
