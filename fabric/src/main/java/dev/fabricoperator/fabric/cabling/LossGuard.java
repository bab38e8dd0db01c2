/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cabling;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Withholds readings of a source that lost a large part of the fabric until the loss is confirmed.
 *
 * <p>A small loss is accepted at once. A large one ({@link CablingLoss#isLarge}) is accepted when the devices that lost
 * their cable report a link that is down, when a source that is queried repeats it three times, or when an administrator
 * accepts it. Repetition is not enough while a device whose cable is missing reports a link that is up.
 *
 * <p>Not thread-safe.
 */
public final class LossGuard {
    /** Readings in a row with the same loss, the first included. */
    public static final int REPETITIONS = 3;

    private @Nullable CablingLoss held;
    private int times;

    /** What happens to a reading. */
    public sealed interface Decision {
        /** The reading counts. */
        record Accepted() implements Decision {}

        /** What was said before stays; why, in words for an administrator, with counts. */
        record Held(CablingLoss loss, String why) implements Decision {}
    }

    /**
     * Decides on one reading.
     *
     * @param before what the source said last that was believed; nothing is lost where it is empty
     * @param linkUp whether the link of a device, by id, is up; {@code null} for one that nobody watches
     * @param accepts whether a person accepts the loss of the reading with this digest
     * @param asked whether the source was asked anew; a file that is read again is no second witness
     */
    public Decision decide(
            Collection<Switch> before,
            Collection<Switch> now,
            Function<String, @Nullable Boolean> linkUp,
            Function<String, Boolean> accepts,
            boolean asked) {
        CablingLoss loss = CablingLoss.between(before, now);
        if (before.isEmpty() || !loss.isLarge() || accepts.apply(loss.digest())) {
            return accepted();
        }
        List<Boolean> seen =
                loss.devicesLost().stream().map(linkUp).filter(up -> up != null).toList();
        long up = seen.stream().filter(Boolean::booleanValue).count();
        if (!seen.isEmpty() && up == 0 && 2 * seen.size() >= loss.cablesLost()) {
            return accepted();
        }
        CablingLoss last = held;
        times = last == null || !loss.isAtLeast(last) ? 1 : asked ? times + 1 : times;
        held = loss;
        if (asked && times >= REPETITIONS && up == 0) {
            return accepted();
        }
        return new Decision.Held(loss, why(loss, up, asked));
    }

    /** Forgets what was held: the source was believed, or has nothing to say. */
    private Decision accepted() {
        held = null;
        times = 0;
        return new Decision.Accepted();
    }

    private String why(CablingLoss loss, long up, boolean asked) {
        return "lost " + loss.switchesLost().size() + " of " + loss.switchesBefore() + " switches and "
                + loss.cablesLost() + " of " + loss.cablesBefore() + " cables in one step"
                + (up > 0
                        ? ", while " + up + " devices at lost cables say that their link is up"
                        : asked ? ", said " + times + " of " + REPETITIONS + " times" : "");
    }
}
