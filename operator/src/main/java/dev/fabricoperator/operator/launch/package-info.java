/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Which pod belongs to which job, and what the job's owner says of it: apps, sizes, indices. */
@NullMarked
package dev.fabricoperator.operator.launch;

import org.jspecify.annotations.NullMarked;
