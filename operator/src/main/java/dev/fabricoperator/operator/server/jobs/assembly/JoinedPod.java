/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

import dev.fabricoperator.pmix.job.PodReport;

/** A pod that waits for, or is part of, an attempt, with what it told of itself. */
public record JoinedPod(JobPodId pod, PodReport report) {}
