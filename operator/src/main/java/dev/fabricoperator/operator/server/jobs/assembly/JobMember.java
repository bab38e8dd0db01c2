/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

import dev.fabricoperator.pmix.job.PodReport;
import org.jspecify.annotations.Nullable;

/**
 * The place of one pod in an attempt.
 *
 * @param report {@code null} for a pod of which only events were heard, after a restart of the replica
 * @param exitCode of its launcher, {@code null} while it runs
 */
record JobMember(
        JobPodId pod, @Nullable PodReport report, @Nullable Integer exitCode) {
    JobMember ended(int code) {
        return new JobMember(pod, report, code);
    }
}
