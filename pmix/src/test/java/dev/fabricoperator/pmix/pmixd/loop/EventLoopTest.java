/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EventLoopTest {
    private final EventLoop loop = new EventLoop();

    /** Milliseconds of both clocks, of all and of those awake, until a timer of 50 ms has run, and those after that. */
    private record Passed(long[] all, long[] awake) {}

    private Passed pass(long heldUpMillis) {
        long[] all = new long[2];
        long[] awake = new long[2];
        loop.execute(() -> {
            long began = loop.nowMillis();
            long beganAwake = loop.awakeMillis();
            loop.after(50, () -> {
                all[0] = loop.nowMillis() - began;
                awake[0] = loop.awakeMillis() - beganAwake;
                loop.after(50, () -> {
                    all[1] = loop.nowMillis() - began;
                    awake[1] = loop.awakeMillis() - beganAwake;
                    loop.stop();
                });
            });
            sleep(heldUpMillis);
        });
        loop.run();
        return new Passed(all, awake);
    }

    private static void sleep(long milliseconds) {
        try {
            TimeUnit.MILLISECONDS.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void timeInWhichTheLoopGotNoProcessorDoesNotCountAsAwake() {
        Passed passed = pass(2_000);

        assertThat(passed.all[0]).isGreaterThanOrEqualTo(2_000);
        assertThat(passed.all[0] - passed.awake[0]).isBetween(1_900L, passed.all[0]);
        assertThat(passed.awake[1]).isGreaterThanOrEqualTo(passed.awake[0] + 50);
    }

    @Test
    void timeInWhichTheLoopWaitedCountsAsAwake() {
        Passed passed = pass(0);

        assertThat(passed.awake[0]).isGreaterThanOrEqualTo(50);
        assertThat(passed.awake[1]).isGreaterThanOrEqualTo(100);
    }

    @Test
    void timersThatAreCancelledLongBeforeTheirTimeAreNotKeptUntilThen() {
        List<Integer> ran = new ArrayList<>();
        loop.after(1, () -> ran.add(1));
        for (int i = 0; i < 10_000; i++) {
            loop.after(3_600_000, () -> ran.add(0)).cancel();
        }
        loop.after(2, () -> {
            ran.add(2);
            loop.stop();
        });
        assertThat(loop.timers()).isLessThan(200);
        loop.run();
        assertThat(ran).containsExactly(1, 2);
    }
}
