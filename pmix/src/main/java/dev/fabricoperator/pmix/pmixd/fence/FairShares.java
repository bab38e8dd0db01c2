/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd.fence;

import java.util.HashMap;
import java.util.Map;

/**
 * A bounded amount that several parties hold. As long as less than half of it is taken everybody may take more; of the other half each party has
 * an equal share, so that one that takes all that it can get leaves something to the others. What is held by several together is
 * given as long as one of them has a right to it, since none of them can ask for it without the others.
 */
public final class FairShares {
    private final long half;
    private final long most;
    private final long share;
    private final Map<Integer, Long> held = new HashMap<>();
    private long total;

    /**
     * @param most of all parties together
     * @param parties how many there may be
     * @param leastShare of each, by which {@code most} is exceeded where there are too many
     */
    public FairShares(long most, int parties, long leastShare) {
        this.half = most / 2;
        this.share = Math.max(leastShare, half / Math.max(1, parties));
        this.most = Math.max(most, half + share * Math.max(1, parties));
    }

    /** @return whether they may have it, and then they have */
    public boolean take(long amount, int... parties) {
        long least = Long.MAX_VALUE;
        for (int party : parties) {
            least = Math.min(least, held.getOrDefault(party, 0L));
        }
        if (total + amount > half && (total + amount > most || (least > 0 && least + amount > share))) {
            return false;
        }
        add(amount, parties);
        return true;
    }

    /** What they have taken. */
    public void giveBack(long amount, int... parties) {
        add(-amount, parties);
    }

    private void add(long amount, int... parties) {
        total += amount;
        for (int party : parties) {
            long now = held.getOrDefault(party, 0L) + amount;
            if (now == 0) {
                held.remove(party);
            } else {
                held.put(party, now);
            }
        }
    }
}
