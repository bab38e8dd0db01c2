/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import dev.fabricoperator.pmix.pmixd.loop.EventLoop;
import java.util.function.BooleanSupplier;

/**
 * Stops the loop once all has been said, or at the deadline. It hands itself on instead of a lambda: the run that the AOT cache is made
 * from need not wait here, and a lambda's first use would make classes for 10 ms.
 */
record LastWords(EventLoop loop, BooleanSupplier said, long deadlineMillis) implements Runnable {
    private static final long LOOK_MILLIS = 5;

    @Override
    public void run() {
        if (said.getAsBoolean() || loop.nowMillis() >= deadlineMillis) {
            loop.stop();
        } else {
            loop.after(LOOK_MILLIS, this);
        }
    }
}
