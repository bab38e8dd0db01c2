/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.job;

/**
 * The cheapest placement of so many hosts that a short search finds: from each of some hosts on, always the host that is
 * nearest to all that are chosen already. In a tree of equal subtrees that is the best there is; finding the best in any
 * fabric is NP-hard.
 */
public final class BestPlacement {
    private static final int MOST_CENTERS = 64;
    private static final long BUDGET = 4_000_000;

    private BestPlacement() {}

    /**
     * @param hosts costs between all hosts that a job could be on
     * @param count hosts to choose, at most as many as there are
     * @return cost of the chosen ones; looks at some 4 million pairs at most, and at least at {@code count} times hosts
     */
    public static PlacementCost find(PartCosts hosts, int count) {
        int wanted = Math.min(count, hosts.parts());
        if (wanted == 0) {
            return new PlacementCost(0, 0, 0, 0);
        }
        long each = (long) wanted * hosts.parts();
        int centers = (int) Math.clamp(BUDGET / each, 1, Math.min(MOST_CENTERS, hosts.parts()));
        PlacementCost best = null;
        for (int i = 0; i < centers; i++) {
            int center = (int) ((long) i * hosts.parts() / centers);
            PlacementCost found = PlacementCost.of(hosts.only(around(hosts, center, wanted)));
            boolean better = best == null
                    || found.unreachable() < best.unreachable()
                    || found.unreachable() == best.unreachable() && found.mean() < best.mean();
            best = better ? found : best;
        }
        return best == null ? new PlacementCost(0, 0, 0, 0) : best;
    }

    private static int[] around(PartCosts hosts, int center, int count) {
        int[] chosen = new int[count];
        boolean[] taken = new boolean[hosts.parts()];
        long[] sum = new long[hosts.parts()];
        short[] row = new short[sum.length];
        for (int i = 0, last = center; i < count; i++) {
            chosen[i] = last;
            taken[last] = true;
            int next = -1;
            hosts.row(last, row);
            for (int host = 0; host < sum.length; host++) {
                if (!taken[host]) {
                    sum[host] += Short.toUnsignedInt(row[host]);
                    next = next < 0 || sum[host] < sum[next] ? host : next;
                }
            }
            last = next;
        }
        return chosen;
    }
}
