/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

import dev.fabricoperator.crds.JobPhase;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What another replica, or this one before it was restarted, wrote of a job.
 *
 * @param waitingSince of an attempt that was assembling
 */
public record StoredAttempt(
        int attempt, JobPhase phase, @Nullable Instant waitingSince) {}
