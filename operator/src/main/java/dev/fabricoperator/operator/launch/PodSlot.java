/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.launch;

import org.jspecify.annotations.Nullable;

/**
 * The place of one pod in its job, as the objects that control it say.
 *
 * @param job which the pod belongs to
 * @param owner the object that stands for it
 * @param app the ReplicatedJob of a JobSet or the task of a Volcano Job, {@code null} where pods are numbered over all apps, as in a Job, which is one
 * @param jobIndex which of the app's Jobs, 0 where it is no JobSet's
 * @param podIndex completion index in that Job, or index in the task
 */
public record PodSlot(JobKey job, OwnerRef owner, @Nullable String app, int jobIndex, int podIndex) {}
