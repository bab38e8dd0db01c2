/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BodiesInWorkTest {
    private final BodiesInWork bodies = new BodiesInWork(100, Duration.ofMillis(50));

    @Test
    void bodiesOfMoreBytesThanThereIsRoomForAreNotWorkedOnAtOneTime() throws IOException, InterruptedException {
        assertThat(bodies.run(new byte[60], () -> {
                    assertThat(tried(41)).isFalse();
                    assertThat(tried(40)).isTrue();
                    return "done";
                }))
                .isEqualTo("done");
        assertThat(tried(41)).isTrue();
    }

    @Test
    void aBodyThatIsLargerIsWorkedOnAlone() throws IOException, InterruptedException {
        assertThat(bodies.run(new byte[1000], () -> tried(1))).isEqualTo(false);
        assertThat(tried(1)).isTrue();
    }

    private boolean tried(int bytes) {
        try {
            return bodies.run(new byte[bytes], () -> "done") != null;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
