/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

import dev.fabricoperator.crds.JobPhase;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt stands.
 *
 * @param joinedPods pods of this attempt that are here; with {@code joinedRanks} ranks
 * @param nodes distinct nodes of these pods
 * @param missing ordinals of pods that have not come, ascending; empty once the job is whole
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
        @Nullable Instant waitingSince,
        @Nullable String failure) {}
