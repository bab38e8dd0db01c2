/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

/** The highest cost between two devices, found from the dearest devices of each switch and not from every pair. */
record Extremes(int maximum, boolean saturated) {

    static Extremes of(SwitchCosts switches, int[] edgeOfSlot, byte[] classOfSlot, int[] classCosts) {
        int edges = switches.size();
        int[] dearest = new int[edges];
        int[] second = new int[edges];
        for (int slot = 0; slot < edgeOfSlot.length; slot++) {
            int edge = edgeOfSlot[slot];
            if (edge >= 0) {
                int own = classCosts[classOfSlot[slot]];
                if (own > dearest[edge]) {
                    second[edge] = dearest[edge];
                    dearest[edge] = own;
                } else {
                    second[edge] = Math.max(second[edge], own);
                }
            }
        }
        int highest = 0;
        boolean saturated = false;
        for (int from = 0; from < edges; from++) {
            for (int to = 0; to < edges; to++) {
                int between = switches.cost(from, to);
                int far = from == to ? second[from] : dearest[to];
                if (dearest[from] > 0 && far > 0 && between != CostMatrix.UNREACHABLE) {
                    int sum = dearest[from] + between + far;
                    saturated |= sum > CostMatrix.HIGHEST || between == CostMatrix.HIGHEST;
                    highest = Math.max(highest, Math.min(sum, CostMatrix.HIGHEST));
                }
            }
        }
        return new Extremes(highest, saturated);
    }
}
