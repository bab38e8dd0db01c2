/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.pmix.pmixd;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * How the ranks of this pod are doing in one attempt, and whether an exit is a failure of the job, as mpirun judges it: a code
 * other than 0, a signal, leaving without PMIx_Finalize after PMIx_Init, or without PMIx_Init where another rank of the pod has called it, and PMI-1 likewise, which may wait for all.
 */
final class Ranks {
    /** How sure it is that a failure began with its rank, least sure first: Open MPI aborts, too, where it has lost a peer, and a lost peer's end is seen a moment later. */
    enum Certainty {
        /** May follow from what another rank or pod did. */
        MAY_FOLLOW(2_000),
        /** It left by itself; a program that handles its errors may do so for want of a peer. */
        LEFT(1_500),
        /** By a signal that the launcher has not sent. */
        KILLED(1_000);

        private final long patienceMillis;

        Certainty(long patienceMillis) {
            this.patienceMillis = patienceMillis;
        }

        /**
         * Before the job is ended for it: news of another failure that began it, or of a lost pod for which the job goes on, takes a moment, and more on a busy node.
         * They differ by more than failure and echo are apart.
         */
        long patienceMillis() {
            return patienceMillis;
        }
    }

    /**
     * A rank that failed.
     *
     * @param rank in the job
     * @param code for the launchers to exit with
     * @param text a clause that begins with the rank
     */
    record Failure(int rank, int code, String text, Certainty certainty) {
        boolean isSurerThan(@Nullable Failure other) {
            return other == null || certainty.compareTo(other.certainty) > 0;
        }
    }

    private static final int SIGKILL = 9;
    private static final int SIGTERM = 15;

    private final int first;
    private final int count;
    private final BitSet ended = new BitSet();
    /** Those that have ended without being told to, as far as can be seen. */
    private final BitSet left = new BitSet();

    private final BitSet connected = new BitSet();
    private final BitSet aborted = new BitSet();
    private final BitSet everConnected = new BitSet();
    /** By local rank: those that have called PMI_Init and not finalized, and those that have called it. */
    private final BitSet inPmi = new BitSet();

    private final BitSet everInPmi = new BitSet();
    /** Once one has, the launcher ends the others, by TERM and KILL. */
    private boolean anyFailed;

    Ranks(int first, int count) {
        this.first = first;
        this.count = count;
    }

    void connected(int rank) {
        connected.set(rank - first);
        everConnected.set(rank - first);
    }

    /** By PMI-1, beside what it does by PMIx. */
    void pmiBegun(int localRank) {
        inPmi.set(localRank);
        everInPmi.set(localRank);
        everConnected.set(localRank);
    }

    void pmiFinalized(int localRank) {
        inPmi.clear(localRank);
    }

    void finalized(int rank) {
        connected.clear(rank - first);
    }

    /** Whether some rank has called PMIx_Init or PMI_Init, and has not finalized. */
    boolean anyConnected() {
        return !connected.isEmpty() || !inPmi.isEmpty();
    }

    /** Whether no rank has called PMIx_Init or PMI_Init. */
    boolean noneEverConnected() {
        return everConnected.isEmpty();
    }

    boolean allEverConnected() {
        return everConnected.cardinality() == count;
    }

    /**
     * For a line of a report: how many have called PMIx_Init, PMI_Init alone or beside it, and neither.
     *
     * <p>A rank that is ended for another's sake may have been on its way, and counts for nothing.
     *
     * @return {@code null} where nothing is known of any
     */
    @Nullable
    String clients() {
        int any = everConnected.cardinality();
        int pmi = everInPmi.cardinality();
        BitSet neither = (BitSet) left.clone();
        neither.andNot(everConnected);
        return any == 0 && neither.isEmpty()
                ? null
                : "clients " + (any - pmi) + ' ' + pmi + ' ' + neither.cardinality();
    }

    boolean isHere(int rank) {
        return rank >= first && rank < first + count;
    }

    /** @return {@code null} if the rank ended as it should, or has called abort, which is known */
    @Nullable
    Failure ended(int localRank, int code, int signal) {
        int rank = first + localRank;
        boolean byLauncher = anyFailed && (signal == SIGTERM || signal == SIGKILL || signal == 0);
        ended.set(localRank);
        left.set(localRank, !byLauncher && signal != SIGTERM && signal != SIGKILL);
        anyFailed |= code != 0 || signal != 0;
        if (aborted.get(localRank)) {
            return null;
        }
        if (signal != 0) {
            return new Failure(
                    rank,
                    128 + signal,
                    "rank " + rank + " was ended by signal " + signal,
                    byLauncher ? Certainty.MAY_FOLLOW : Certainty.KILLED);
        }
        Certainty certainty = byLauncher ? Certainty.MAY_FOLLOW : Certainty.LEFT;
        if (code != 0) {
            return new Failure(rank, code, "rank " + rank + " exited with code " + code, certainty);
        }
        if (connected.get(localRank) || inPmi.get(localRank)) {
            return new Failure(
                    rank,
                    1,
                    "rank " + rank + " exited with code 0 but without " + (connected.get(localRank) ? "PMIx" : "PMI")
                            + "_Finalize",
                    certainty);
        }
        if (!everConnected.get(localRank) && !everConnected.isEmpty()) {
            return new Failure(
                    rank,
                    1,
                    "rank " + rank
                            + " exited with code 0 but without "
                            + (everInPmi.get(everConnected.nextSetBit(0)) ? "PMI" : "PMIx")
                            + "_Init, which another rank of its pod has called",
                    certainty);
        }
        return null;
    }

    Failure aborted(int rank, int status, String message) {
        aborted.set(rank - first);
        int code = (status & 0xff) == 0 ? 1 : status & 0xff;
        return new Failure(
                rank,
                code,
                "rank " + rank + " aborted with status " + status + (message.isEmpty() ? "" : ": " + message),
                Certainty.MAY_FOLLOW);
    }

    boolean allEnded() {
        return ended.cardinality() >= count;
    }

    /** What a rank says of itself, for a line of a report. */
    static String oneLine(String text) {
        return (text.length() > 500 ? text.substring(0, 500) : text).replace('\n', ' ');
    }
}
