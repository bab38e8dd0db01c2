/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.operator.server.jobs.assembly;

import java.time.Instant;

/**
 * Which pod speaks, as its token and the API server say.
 *
 * @param ordinal its position among the pods of the job
 * @param createdAt of the Pod object, whole seconds
 */
public record JobPodId(int ordinal, String name, String uid, Instant createdAt, String nodeName) {}
