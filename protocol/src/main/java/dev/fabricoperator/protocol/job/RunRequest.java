/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

/**
 * What mpirun in a launcher's pod asks the job service for: ranks in the pods of workers, for one run.
 *
 * @param ranks of the run, 0 for as many as the workers have slots
 * @param ranksPerPod of each worker, 0 for as many as it has slots
 * @param oversubscribe whether there may be more ranks than slots
 */
public record RunRequest(int ranks, int ranksPerPod, boolean oversubscribe) {}
