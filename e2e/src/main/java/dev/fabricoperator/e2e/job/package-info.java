/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Jobs by direct launch: what {@code make run-job} runs, what the proofs stand on, and the side of the pods in tests of the job service. */
@NullMarked
package dev.fabricoperator.e2e.job;

import org.jspecify.annotations.NullMarked;
