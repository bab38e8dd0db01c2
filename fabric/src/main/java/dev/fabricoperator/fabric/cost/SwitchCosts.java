/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

/**
 * Cost between the switches that hold devices, without the devices' own cables. Switches ascend by id.
 *
 * <p>Immutable. A row that did not change is shared by the matrices before and after.
 */
final class SwitchCosts {
    /** No more switches than a row's number can tell in the digest; 4 GB of matrix. */
    static final int MOST = CostMatrix.HIGHEST;

    private final String[] ids;
    private final char[][] rows;
    private final byte[][] rowHashes;
    private final char[] bounds;
    private final boolean symmetric;

    /**
     * @param bounds what no finite cost of each row is above
     * @param mayDiffer whether some link costs another amount in one direction than in the other
     */
    SwitchCosts(String[] ids, char[][] rows, byte[][] rowHashes, char[] bounds, boolean mayDiffer) {
        this.ids = ids;
        this.rows = rows;
        this.rowHashes = rowHashes;
        this.bounds = bounds;
        symmetric = !mayDiffer || isSymmetric(rows);
    }

    int size() {
        return ids.length;
    }

    String id(int row) {
        return ids[row];
    }

    /** {@link CostMatrix#UNREACHABLE}, else 0 to {@link CostMatrix#HIGHEST}. */
    int cost(int from, int to) {
        return rows[from][to];
    }

    /** Not to be written to. */
    char[] row(int from) {
        return rows[from];
    }

    /** No finite cost of the row is above this; some may be equal. */
    int bound(int from) {
        return bounds[from];
    }

    byte[] rowHash(int from) {
        return rowHashes[from];
    }

    String[] ids() {
        return ids;
    }

    boolean symmetric() {
        return symmetric;
    }

    private static boolean isSymmetric(char[][] rows) {
        for (int from = 0; from < rows.length; from++) {
            for (int to = 0; to < from; to++) {
                if (rows[from][to] != rows[to][from]) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Arrays with their headers, and references to them. */
    long bytes() {
        long perRow = 16 + 2L * ids.length + 16 + CostDigest.HASH_BYTES + 2 + 2 * 4;
        return perRow * ids.length;
    }
}
