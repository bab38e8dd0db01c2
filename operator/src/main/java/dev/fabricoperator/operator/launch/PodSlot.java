/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import org.jspecify.annotations.Nullable;

/**
 * The place of one pod in its job, as the objects that control it say.
 *
 * @param job the Job or JobSet that the pod belongs to
 * @param owner the same object, as its pods name it
 * @param app the ReplicatedJob of a JobSet, {@code null} for a Job, which is one app
 * @param jobIndex which of the app's Jobs, 0 for a Job
 * @param podIndex completion index in that Job
 */
public record PodSlot(JobKey job, OwnerRef owner, @Nullable String app, int jobIndex, int podIndex) {}
