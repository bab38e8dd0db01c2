/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.served;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FabricUpdatesTest {
    private final FabricUpdates updates = new FabricUpdates();

    private static FabricUpdate notice(String fabric, long generation) {
        return new FabricUpdate(fabric, FabricUpdate.Phase.Updated, generation, "", 0, false);
    }

    @Test
    void aListenerHearsOfItsFabricOnlyAndInOrder() throws InterruptedException {
        FabricUpdates.Subscription subscription = updates.subscribe("a");
        updates.publish(notice("a", 1));
        updates.publish(notice("b", 7));
        updates.publish(notice("a", 2));
        assertThat(subscription.poll(100)).isEqualTo(notice("a", 1));
        assertThat(subscription.poll(100)).isEqualTo(notice("a", 2));
        assertThat(subscription.poll(1)).isNull();
    }

    @Test
    void aListenerThatTakesNothingLosesItsSubscription() {
        FabricUpdates.Subscription subscription = updates.subscribe("a");
        for (int generation = 0; generation < 65; generation++) {
            updates.publish(notice("a", generation));
        }
        assertThat(subscription.isClosed()).isTrue();
        assertThat(updates.listeners()).isZero();
    }
}
