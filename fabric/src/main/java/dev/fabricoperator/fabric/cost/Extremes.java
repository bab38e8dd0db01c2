/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import java.util.Arrays;

/**
 * The highest cost between two devices, computed from the most expensive devices of each switch instead of every pair. Rows
 * whose upper bound is not above the highest so far are skipped.
 *
 * @param maximum 0 with fewer than two devices that reach each other
 * @param saturated whether some sum was cut
 */
record Extremes(int maximum, boolean saturated) {

    static Extremes of(SwitchCosts switches, Attachments attachments) {
        int edges = switches.size();
        // 0 where a switch holds no device, or no second one.
        int[] dearest = new int[edges];
        int[] second = new int[edges];
        for (int slot = 0; slot < attachments.slots(); slot++) {
            int at = attachments.of(slot);
            if (Attachments.isCabled(at)) {
                int row = attachments.row(at);
                int own = attachments.ownCost(at);
                if (own > dearest[row]) {
                    second[row] = dearest[row];
                    dearest[row] = own;
                } else {
                    second[row] = Math.max(second[row], own);
                }
            }
        }
        int highest = 0;
        int dearestOfAll = Arrays.stream(dearest).max().orElse(0);
        for (int from = 0; from < edges; from++) {
            if (dearest[from] + switches.bound(from) + dearestOfAll <= highest) {
                continue;
            }
            char[] row = switches.row(from);
            int furthest = 0;
            for (int to = 0; to < edges; to++) {
                if (row[to] != CostMatrix.UNREACHABLE && to != from) {
                    furthest = Math.max(furthest, row[to] + dearest[to]);
                }
            }
            if (second[from] > 0) {
                furthest = Math.max(furthest, second[from]);
            }
            highest = furthest > 0 ? Math.max(highest, dearest[from] + furthest) : highest;
        }
        // A cost between switches that was cut is above the highest with any cable of a device.
        return new Extremes(Math.min(highest, CostMatrix.HIGHEST), highest > CostMatrix.HIGHEST);
    }
}
