/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

/**
 * One PMIx app: the Job of an Indexed Job, a ReplicatedJob, a task. Its ranks are not contiguous where
 * {@code rank-order: topology} mixes apps; {@link JobPod#app} says who belongs to it.
 *
 * @param number PMIX_APPNUM, from 0 in the order of the owner's spec
 * @param name of the ReplicatedJob or task, or of the Job
 * @param size PMIX_APP_SIZE, ranks
 */
public record JobApp(int number, String name, int size) {}
