/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AgentTest {
    private static final Duration PRESENCE = Duration.ofSeconds(30);

    /** As after the custom resource was deleted and made anew: each sees at another time that its devices are gone. */
    @Test
    void agentsThatHaveLostTheirDevicesTogetherDoNotPublishThemAtOneTime() {
        Random random = new Random(1);
        int agents = 10_000;
        int[] inTenSeconds = new int[12];
        for (int agent = 0; agent < agents; agent++) {
            Duration seen = Duration.ofMillis(random.nextLong(PRESENCE.toMillis()));
            Duration published = seen.plus(Agent.untilAnew(Publisher.Loss.Object, PRESENCE, random));
            inTenSeconds[(int) (published.toMillis() / 10_000)]++;
        }
        assertThat(Arrays.stream(inTenSeconds).max().orElseThrow()).isLessThan(agents / 8);
    }

    @Test
    void aNodeThatRegistersAgainWaitsForNobody() {
        assertThat(Agent.untilAnew(Publisher.Loss.Node, PRESENCE, new Random(1)))
                .isZero();
    }
}
