/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.protocol.job;

/**
 * What a pod of a large job is told in place of the {@link JobMap}: enough to meet the pod that hands it the map, and to know
 * that it is the one that the job service made.
 *
 * @param nspace of the map
 * @param attempt of the map
 * @param key of the map, 32 bytes
 * @param self index of this pod in the map, at least 1
 * @param pods in the map
 * @param parent the pod that has the map, or waits for it, too
 * @param mapDigest SHA-256 of the encoded map
 */
public record JobTicket(String nspace, int attempt, byte[] key, int self, int pods, JobPeer parent, byte[] mapDigest) {}
