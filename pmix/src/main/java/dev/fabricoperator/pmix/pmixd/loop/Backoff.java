/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.loop;

import java.util.Random;

/**
 * Pauses between tries: each is drawn evenly from 1 ms to a limit that doubles, so that the pods of a job, which all fail at the
 * same moment, do not all come back at the same moment. For one thread.
 *
 * @see "Exponential Backoff And Jitter (full jitter), AWS Architecture Blog, 2015"
 */
public final class Backoff {
    private final int firstMillis;
    private final int longestMillis;
    private final Random random;
    private int limitMillis;

    public Backoff(int firstMillis, int longestMillis) {
        this(firstMillis, longestMillis, new Random());
    }

    Backoff(int firstMillis, int longestMillis, Random random) {
        this.firstMillis = firstMillis;
        this.longestMillis = longestMillis;
        this.random = random;
        this.limitMillis = firstMillis;
    }

    public int nextMillis() {
        int pause = 1 + random.nextInt(limitMillis);
        limitMillis = Math.min(longestMillis, limitMillis * 2);
        return pause;
    }

    /** Something has succeeded. */
    public void reset() {
        limitMillis = firstMillis;
    }
}
