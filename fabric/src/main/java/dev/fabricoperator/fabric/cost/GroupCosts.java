/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Relative communication cost between a device, or a group of devices, and a group.
 *
 * <pre>
 * Shape:  vertices x groups, and groups x groups; row = from, column = to; groups ascend by their numbers.
 * Unit:   none (relative), as in {@link CostMatrix}; the least is unsigned 16 bit, the mean a fraction.
 * Errors: IllegalArgumentException for a slot that is no vertex, or a number that is no group's (PMIX_ERR_BAD_PARAM).
 * Cost:   one pair O(k) from a device and O(j k) from a group, for groups of j and k switches; a row O(s) for s switches
 *         that hold devices. No loop over devices: those at one switch cost the same. Space O(s).
 * Source: docs/cost-model.md; PMIx Standard, Fabric Support, PMIX_FABRIC_GROUPS and PMIX_FABRIC_COST_MATRIX.
 * </pre>
 *
 * <p>A device is never counted as a partner of itself. Immutable.
 */
public final class GroupCosts {
    private final CostMatrix matrix;
    /** Ascending. */
    private final int[] numbers;

    private final Members[] members;
    private final int[] groupOfSlot;

    private GroupCosts(CostMatrix matrix, int[] numbers, Members[] members, int[] groupOfSlot) {
        this.matrix = matrix;
        this.numbers = numbers;
        this.members = members;
        this.groupOfSlot = groupOfSlot;
    }

    /**
     * Devices of one group.
     *
     * @param attachments distinct cabled ones
     * @param devices at each of these
     * @param loose unreachable devices
     */
    private record Members(int[] attachments, int[] devices, int loose) {}

    /** @param groupOfSlot group of the device in each slot, -1 without; what is said of an empty slot does not count */
    public static GroupCosts of(CostMatrix matrix, int[] groupOfSlot) {
        if (groupOfSlot.length != matrix.vertices()) {
            throw new IllegalArgumentException(
                    groupOfSlot.length + " groups for a matrix of " + matrix.vertices() + " vertices");
        }
        int[] groups = groupOfSlot.clone();
        for (int slot = 0; slot < groups.length; slot++) {
            groups[slot] = matrix.attachmentOf(slot) == Attachments.EMPTY ? -1 : groups[slot];
        }
        int[] numbers =
                Arrays.stream(groups).filter(g -> g >= 0).sorted().distinct().toArray();
        List<List<Integer>> slots = new ArrayList<>();
        for (int i = 0; i < numbers.length; i++) {
            slots.add(new ArrayList<>());
        }
        for (int slot = 0; slot < groups.length; slot++) {
            if (groups[slot] >= 0) {
                slots.get(Arrays.binarySearch(numbers, groups[slot])).add(slot);
            }
        }
        Members[] members = slots.stream().map(own -> members(matrix, own)).toArray(Members[]::new);
        return new GroupCosts(matrix, numbers, members, groups);
    }

    private static Members members(CostMatrix matrix, List<Integer> slots) {
        int[] at = slots.stream().mapToInt(matrix::attachmentOf).sorted().toArray();
        int[] attachments = new int[at.length];
        int[] devices = new int[at.length];
        int count = 0;
        int loose = 0;
        for (int i = 0; i < at.length; i++) {
            if (!Attachments.isCabled(at[i])) {
                loose++;
                continue;
            }
            if (count == 0 || attachments[count - 1] != at[i]) {
                attachments[count++] = at[i];
            }
            devices[count - 1]++;
        }
        return new Members(Arrays.copyOf(attachments, count), Arrays.copyOf(devices, count), loose);
    }

    /**
     * Costs of some pairs of devices.
     *
     * @param minimum of those that reach each other; 65535 without one
     * @param sum over them
     * @param reached how many these are
     * @param unreachable pairs that do not reach each other
     */
    public record Cost(int minimum, long sum, long reached, long unreachable) {
        /** Of the pairs that reach each other; {@link CostMatrix#UNREACHABLE} without one. */
        public double mean() {
            return reached == 0 ? CostMatrix.UNREACHABLE : (double) sum / reached;
        }
    }

    /** Numbers of the groups that hold devices, ascending. */
    public int[] groups() {
        return numbers.clone();
    }

    public boolean has(int group) {
        return Arrays.binarySearch(numbers, group) >= 0;
    }

    /** From a device to the devices of a group, except itself. */
    public Cost fromDevice(int slot, int group) {
        Members to = membersOf(group);
        int from = matrix.attachmentOf(slot);
        boolean own = groupOfSlot[slot] == group;
        Sum sum = new Sum();
        if (!Attachments.isCabled(from)) {
            int devices = to.loose - (own ? 1 : 0);
            for (int count : to.devices) {
                devices += count;
            }
            sum.unreachable += devices;
            return sum.cost();
        }
        sum.unreachable += to.loose;
        for (int i = 0; i < to.attachments.length; i++) {
            int other = to.attachments[i];
            sum.add(matrix.between(from, other), to.devices[i] - (own && other == from ? 1 : 0));
        }
        return sum.cost();
    }

    /** Adds up pairs. */
    private static final class Sum {
        private int minimum = CostMatrix.UNREACHABLE;
        private long total;
        private long reached;
        private long unreachable;

        void add(int cost, long pairs) {
            if (cost == CostMatrix.UNREACHABLE) {
                unreachable += pairs;
            } else if (pairs > 0) {
                minimum = Math.min(minimum, cost);
                total += cost * pairs;
                reached += pairs;
            }
        }

        Cost cost() {
            return new Cost(minimum, total, reached, unreachable);
        }
    }

    private Members membersOf(int group) {
        int at = Arrays.binarySearch(numbers, group);
        if (at < 0) {
            throw new IllegalArgumentException("no device is in group " + group);
        }
        return members[at];
    }
}
