/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

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
 * @param waitingSince when the first pod of this attempt came, {@code null} before
 * @param failure which pod ended first with another code than 0, and what it said; {@code null} for none
 */
public record Progress(
        int attempt,
        JobPhase phase,
        int joinedPods,
        int joinedRanks,
        int nodes,
        List<Integer> missing,
        int missingPods,
        @Nullable Instant waitingSince,
        @Nullable String failure) {
    /** As many as a FabricJob names. */
    public static final int MAX_MISSING = 16;

    private static final int NAMED_IN_SENTENCE = 8;

    public Progress {
        missing = List.copyOf(missing);
    }

    /** How many pods have not come, and which ones first. */
    public String missingWords(DirectJob job) {
        String named = missing.stream().limit(NAMED_IN_SENTENCE).map(job::words).collect(Collectors.joining(", "));
        int more = missingPods - NAMED_IN_SENTENCE;
        return missingPods + " of " + job.pods() + " pods have not come: " + named
                + (more > 0 ? " and " + more + " more" : "");
    }
}
