/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** How long to wait after failures: twice as long after each, of which the second half is random, so that many do not come at once. */
public record Backoff(Duration first, Duration longest) {
    /** @param failures in a row, at least 1 */
    public Duration after(int failures) {
        long nanos = Math.min(longest.toNanos(), first.toNanos() << Math.min(failures - 1, 20));
        return Duration.ofNanos(nanos / 2 + ThreadLocalRandom.current().nextLong(nanos / 2 + 1));
    }
}
