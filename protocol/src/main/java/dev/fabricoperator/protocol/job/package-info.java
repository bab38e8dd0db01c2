/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What the processes of one job know of one another, and what a pod tells of itself. Both ends of the job service speak
 * in these types.
 */
@NullMarked
package dev.fabricoperator.protocol.job;

import org.jspecify.annotations.NullMarked;
