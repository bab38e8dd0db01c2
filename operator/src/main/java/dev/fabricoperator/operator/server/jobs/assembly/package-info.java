/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** One attempt of a job from its first pod to its last, as pure code. */
@NullMarked
package dev.fabricoperator.operator.server.jobs.assembly;

import org.jspecify.annotations.NullMarked;
