/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.cluster;

import dev.fabricoperator.crds.SteadyClock;
import dev.fabricoperator.fabric.device.PortState;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;

/** Ports of devices that went up or down, as their informer saw it; the newest {@value #KEPT}. */
public final class PortChanges {
    private static final int KEPT = 4096;

    private final SteadyClock clock;
    private final ArrayDeque<PortChange> changes = new ArrayDeque<>();
    private long last;

    /**
     * A port that went up or down.
     *
     * @param number ascends by one from change to change
     * @param device name of the FabricDevice
     * @param time by a {@link SteadyClock}
     */
    public record PortChange(long number, String device, Instant time) {}

    PortChanges(SteadyClock clock) {
        this.clock = clock;
    }

    /** Keeps what is a change between two states that are both known. */
    synchronized void compare(DeviceFacts before, DeviceFacts after) {
        if (before.state() != after.state()
                && before.state() != PortState.Unknown
                && after.state() != PortState.Unknown) {
            last++;
            changes.addLast(new PortChange(last, after.name(), clock.instant()));
            if (changes.size() > KEPT) {
                changes.removeFirst();
            }
        }
    }

    synchronized List<PortChange> newest() {
        return List.copyOf(changes);
    }
}
