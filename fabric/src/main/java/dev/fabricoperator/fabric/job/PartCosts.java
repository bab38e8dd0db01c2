/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.job;

import dev.fabricoperator.fabric.cost.CostMatrix;
import dev.fabricoperator.fabric.cost.NodeCosts;
import dev.fabricoperator.fabric.cost.NvlinkUnit;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Costs between the parts of a job, each of which has some devices of one fabric.
 *
 * <p>Between two parts counts the cheapest pair of their devices, as a program that knows its peers would choose; 0 for parts
 * on one host, which do not use the fabric; 65535 where one has no device, or none reaches the other.
 *
 * <p>Not final, so that a test can count what is asked.
 */
public class PartCosts {
    private final CostMatrix matrix;
    private final int[][] slots;
    private final int[] hosts;
    /** As if each part were on a host of its own. */
    private final NodeCosts costs;

    private final @Nullable Nvlink nvlink;

    /** The devices of each part in the fabric of accelerators. */
    private record Nvlink(CostMatrix matrix, int[][] slots, NvlinkUnit unit) {}

    /**
     * @param hosts for each part a number that parts on one host share
     * @param slots for each part the slots of its devices, any number
     */
    public PartCosts(CostMatrix matrix, int[] hosts, List<int[]> slots) {
        this(matrix, hosts.clone(), slots.toArray(int[][]::new), null);
    }

    private PartCosts(CostMatrix matrix, int[] hosts, int[][] slots, @Nullable Nvlink nvlink) {
        if (hosts.length != slots.length) {
            throw new IllegalArgumentException(hosts.length + " hosts of " + slots.length + " parts");
        }
        this.matrix = matrix;
        this.hosts = hosts;
        this.slots = slots;
        this.nvlink = nvlink;
        NodeCosts ofNetwork = NodeCosts.of(matrix, slots);
        this.costs = nvlink == null
                ? ofNetwork
                : ofNetwork.orByNvlink(NodeCosts.of(nvlink.matrix(), nvlink.slots()), nvlink.unit());
    }

    /**
     * The same where NVLink joins the accelerators of some hosts: between two parts the cheaper counts.
     *
     * @param accelerators costs in their fabric
     * @param slotsOfParts there, of each part
     */
    public PartCosts orByNvlink(CostMatrix accelerators, List<int[]> slotsOfParts, NvlinkUnit unit) {
        return new PartCosts(matrix, hosts, slots, new Nvlink(accelerators, slotsOfParts.toArray(int[][]::new), unit));
    }

    /** Of some of the parts, in this order. O(devices of these). */
    public PartCosts only(int[] parts) {
        return new PartCosts(
                matrix,
                IntStream.of(parts).map(part -> hosts[part]).toArray(),
                those(slots, parts),
                nvlink == null ? null : new Nvlink(nvlink.matrix(), those(nvlink.slots(), parts), nvlink.unit()));
    }

    private static int[][] those(int[][] slots, int[] parts) {
        return Arrays.stream(parts).mapToObj(part -> slots[part]).toArray(int[][]::new);
    }

    public int parts() {
        return hosts.length;
    }

    public boolean onOneHost(int one, int other) {
        return hosts[one] == hosts[other];
    }

    /** Of each host the first part, ascending. */
    public int[] firstOfEachHost() {
        Set<Integer> seen = new HashSet<>();
        return IntStream.range(0, hosts.length)
                .filter(part -> seen.add(hosts[part]))
                .toArray();
    }

    /** O(k²) for parts whose devices are at k switches: of many pairs {@link #row} costs less. */
    public int cost(int from, int to) {
        return onOneHost(from, to) ? 0 : costs.cost(from, to);
    }

    /**
     * Writes what one part's messages to each cost, as unsigned 16 bit values. O(k s + parts) for devices at k of s switches that hold
     * devices; of few parts O(k² parts), which is less.
     *
     * @param into as long as there are parts, or longer
     */
    public void row(int from, short[] into) {
        boolean few = (long) hosts.length * slots[from].length < matrix.edgeSwitches();
        if (!few) {
            costs.row(from, into);
        }
        for (int to = 0; to < hosts.length; to++) {
            if (onOneHost(from, to)) {
                into[to] = 0;
            } else if (few) {
                into[to] = (short) costs.cost(from, to);
            }
        }
    }
}
