/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimitedLogTest {
    @Test
    void whatIsLeftOutIsCountedInTheNextWindow() {
        List<String> lines = new ArrayList<>();
        AtomicLong now = new AtomicLong(-5);
        RateLimitedLog log = new RateLimitedLog(lines::add, now::get);
        for (int i = 0; i < 1_000; i++) {
            log.line("line " + i);
        }
        assertThat(lines).hasSize(RateLimitedLog.LINES).endsWith("line " + (RateLimitedLog.LINES - 1));
        now.addAndGet(TimeUnit.SECONDS.toNanos(RateLimitedLog.WINDOW_SECONDS));
        log.line("later");
        log.line("and later");
        assertThat(lines.subList(RateLimitedLog.LINES, lines.size()))
                .containsExactly(
                        1_000 - RateLimitedLog.LINES + " more lines like those before were left out",
                        "later",
                        "and later");
    }
}
