/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.cost;

import org.jspecify.annotations.Nullable;

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
    /** {@code null} for a row that nobody has asked for. */
    private final byte[] @Nullable [] rowHashes;

    private final char[] bounds;
    private final boolean symmetric;

    /**
     * @param rowHashes those that are known already, {@code null} for others
     * @param bounds upper bound of the finite costs of each row
     * @param mayDiffer whether some link costs another amount in one direction than in the other
     */
    SwitchCosts(String[] ids, char[][] rows, byte[] @Nullable [] rowHashes, char[] bounds, boolean mayDiffer) {
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

    /** SHA-256 of each row; kept, so that a change computes those of rows that change. */
    synchronized byte[][] rowHashes() {
        CostDigest.RowHasher hasher = new CostDigest.RowHasher(rows.length);
        byte[][] hashes = new byte[rows.length][];
        for (int from = 0; from < rows.length; from++) {
            byte[] known = rowHashes[from];
            if (known == null) {
                known = hasher.hash(rows[from]);
                rowHashes[from] = known;
            }
            hashes[from] = known;
        }
        return hashes;
    }

    /** As {@link #rowHashes()}, {@code null} where nobody has asked yet. */
    synchronized byte[] @Nullable [] knownHashes() {
        return rowHashes.clone();
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
