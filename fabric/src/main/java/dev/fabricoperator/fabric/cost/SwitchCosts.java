/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

/** Cost between the switches that hold devices, without the devices' own cables. Switches ascend by id. */
final class SwitchCosts {
    private final String[] ids;
    private final char[] costs;

    /** @param costs row-major, {@code ids.length} squared */
    SwitchCosts(String[] ids, char[] costs) {
        this.ids = ids;
        this.costs = costs;
    }

    int size() {
        return ids.length;
    }

    String id(int edge) {
        return ids[edge];
    }

    int cost(int from, int to) {
        return costs[from * ids.length + to];
    }

    boolean symmetric() {
        int n = ids.length;
        for (int from = 0; from < n; from++) {
            for (int to = 0; to < from; to++) {
                if (costs[from * n + to] != costs[to * n + from]) {
                    return false;
                }
            }
        }
        return true;
    }

    long bytes() {
        return 2L * costs.length;
    }
}
