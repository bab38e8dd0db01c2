/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.query.served;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NoticesTest {
    private final Notices notices = new Notices();

    private static Notice notice(String fabric, long generation) {
        return new Notice(fabric, Notice.Phase.Updated, generation, "", 0, false);
    }

    @Test
    void aListenerHearsOfItsFabricOnlyAndInOrder() throws InterruptedException {
        Notices.Subscription subscription = notices.subscribe("a");
        notices.tell(notice("a", 1));
        notices.tell(notice("b", 7));
        notices.tell(notice("a", 2));
        assertThat(subscription.poll(100)).isEqualTo(notice("a", 1));
        assertThat(subscription.poll(100)).isEqualTo(notice("a", 2));
        assertThat(subscription.poll(1)).isNull();
    }

    @Test
    void aListenerThatTakesNothingLosesItsSubscription() {
        Notices.Subscription subscription = notices.subscribe("a");
        for (int generation = 0; generation < 65; generation++) {
            notices.tell(notice("a", generation));
        }
        assertThat(subscription.isClosed()).isTrue();
        assertThat(notices.listeners()).isZero();
    }
}
