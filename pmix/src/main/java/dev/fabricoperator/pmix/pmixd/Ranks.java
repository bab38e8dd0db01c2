/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * How the ranks of this pod are doing in one attempt, and whether an exit is a failure of the job, as mpirun judges it: a code
 * other than 0, a signal, or leaving without PMIx_Finalize after PMIx_Init.
 */
final class Ranks {
    /**
     * A rank that failed.
     *
     * @param rank in the job
     * @param code for the launchers to exit with
     * @param text a clause that begins with the rank
     */
    record Failure(int rank, int code, String text) {}

    private final int first;
    private final int count;
    private final BitSet ended = new BitSet();
    private final BitSet connected = new BitSet();

    Ranks(int first, int count) {
        this.first = first;
        this.count = count;
    }

    void connected(int rank) {
        connected.set(rank - first);
    }

    void finalized(int rank) {
        connected.clear(rank - first);
    }

    /** Whether some rank has called PMIx_Init and not PMIx_Finalize. */
    boolean anyConnected() {
        return !connected.isEmpty();
    }

    boolean isHere(int rank) {
        return rank >= first && rank < first + count;
    }

    /** @return {@code null} if the rank ended as it should */
    @Nullable
    Failure ended(int localRank, int code, int signal) {
        int rank = first + localRank;
        ended.set(localRank);
        if (signal != 0) {
            return new Failure(rank, 128 + signal, "rank " + rank + " was ended by signal " + signal);
        }
        if (code != 0) {
            return new Failure(rank, code, "rank " + rank + " exited with code " + code);
        }
        if (connected.get(localRank)) {
            return new Failure(rank, 1, "rank " + rank + " exited with code 0 but without PMIx_Finalize");
        }
        return null;
    }

    static Failure aborted(int rank, int status, String message) {
        int code = (status & 0xff) == 0 ? 1 : status & 0xff;
        return new Failure(
                rank,
                code,
                "rank " + rank + " aborted with status " + status + (message.isEmpty() ? "" : ": " + message));
    }

    boolean allEnded() {
        return ended.cardinality() >= count;
    }

    /** What a rank says of itself, for a line of a report. */
    static String oneLine(String text) {
        return (text.length() > 500 ? text.substring(0, 500) : text).replace('\n', ' ');
    }
}
