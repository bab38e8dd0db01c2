/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Collectives and questions between the pods of a job, over any transport that reaches neighbours. */
@NullMarked
package dev.fabricoperator.pmix.pmixd.fence;

import org.jspecify.annotations.NullMarked;
