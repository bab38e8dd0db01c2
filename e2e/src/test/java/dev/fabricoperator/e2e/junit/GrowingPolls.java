/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.junit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * How often Awaitility looks, where a test says nothing else: soon at first, and less often the longer it takes. Most looks are requests to an API server, and
 * the processors that answer them are those that bring about what is waited for.
 */
public final class GrowingPolls implements LauncherSessionListener {
    private static final Duration DELAY = Duration.ofMillis(100);
    private static final Duration FIRST = Duration.ofMillis(50);
    private static final Duration LAST = Duration.ofMillis(500);

    private static Duration after(Duration before) {
        Duration next = before.multipliedBy(5).dividedBy(4);
        return next.compareTo(LAST) < 0 ? next : LAST;
    }

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        // Else it looks at once where intervals grow, and may take what was there before for what was waited for.
        Awaitility.setDefaultPollDelay(DELAY);
        Awaitility.setDefaultPollInterval(IterativePollInterval.iterative(GrowingPolls::after, FIRST));
    }
}
