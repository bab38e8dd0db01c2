/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

import dev.fabricoperator.crds.JobClients;
import dev.fabricoperator.crds.JobPhase;
import dev.fabricoperator.operator.launch.DirectJob;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt stands.
 *
 * @param joinedPods pods of this attempt that are here; with {@code joinedRanks} ranks
 * @param nodes distinct nodes of these pods
 * @param missing the first {@link #MAX_MISSING} ordinals of pods that have not come, ascending; empty once the job is whole
 * @param missingPods how many have not come
 * @param unprepared the first {@link #MAX_MISSING} ordinals of pods that the others wait for because their hosts are not prepared, ascending
 * @param unpreparedPods how many those are
 * @param waitingSince when the first pod of this attempt came, {@code null} before
 * @param failure which pod ended first with another code than 0, and what it said; {@code null} for none
 * @param unconnected whether the job has ended and every pod has said that none of its ranks called PMIx_Init
 * @param clients ranks of the pods that have said by which protocol theirs found the others; {@code null} before one has
 */
public record Progress(
        int attempt,
        JobPhase phase,
        int joinedPods,
        int joinedRanks,
        int nodes,
        List<Integer> missing,
        int missingPods,
        List<Integer> unprepared,
        int unpreparedPods,
        @Nullable Instant waitingSince,
        @Nullable String failure,
        boolean unconnected,
        @Nullable JobClients clients) {
    /** As many as a FabricJob names. */
    public static final int MAX_MISSING = 16;

    private static final int NAMED_IN_SENTENCE = 8;

    public Progress {
        missing = List.copyOf(missing);
        unprepared = List.copyOf(unprepared);
    }

    /** How many pods have not come, or wait for their hosts, and which ones first. */
    public String missingWords(DirectJob job) {
        return missingPods == 0 && unpreparedPods > 0
                ? unpreparedPods + " of " + job.pods() + " pods wait for the preparer of their node: "
                        + named(job, unprepared, unpreparedPods)
                : missingPods + " of " + job.pods() + " pods have not come: " + named(job, missing, missingPods);
    }

    private static String named(DirectJob job, List<Integer> ordinals, int all) {
        String named =
                ordinals.stream().limit(NAMED_IN_SENTENCE).map(job::words).collect(Collectors.joining(", "));
        int more = all - NAMED_IN_SENTENCE;
        return named + (more > 0 ? " and " + more + " more" : "");
    }
}
