/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

/**
 * The highest cost between two devices, found from the dearest devices of each switch and not from every pair.
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
        boolean cut = false;
        for (int from = 0; from < edges; from++) {
            char[] row = switches.row(from);
            int furthest = 0;
            for (int to = 0; to < edges; to++) {
                int between = row[to];
                int far = between + dearest[to];
                furthest = Math.max(furthest, between == CostMatrix.UNREACHABLE || to == from ? 0 : far);
                cut |= between == CostMatrix.HIGHEST;
            }
            if (second[from] > 0 && row[from] != CostMatrix.UNREACHABLE) {
                furthest = Math.max(furthest, row[from] + second[from]);
            }
            highest = furthest > 0 ? Math.max(highest, dearest[from] + furthest) : highest;
        }
        return new Extremes(Math.min(highest, CostMatrix.HIGHEST), cut || highest > CostMatrix.HIGHEST);
    }
}
