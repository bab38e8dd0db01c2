/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.e2e.cluster;

import static dev.fabricoperator.e2e.junit.Eventually.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WatchdogTest {

    @Test
    void processesThatAreForgottenTwiceKeepItFromNothing() throws IOException, InterruptedException {
        Watchdog watchdog = Watchdog.start();
        Process left = new ProcessBuilder("sleep", "600").start();
        Process ended = new ProcessBuilder("sleep", "600").start();
        try {
            watchdog.watch(left.pid());
            for (int i = 0; i < 64; i++) {
                watchdog.watch(ended.pid());
                watchdog.forget(ended.pid());
                watchdog.forget(ended.pid());
            }
            watchdog.close();

            assertThat(left.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(ended.isAlive()).isTrue();
        } finally {
            left.destroyForcibly();
            ended.destroyForcibly();
        }
    }
}
