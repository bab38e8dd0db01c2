/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** One thread, a selector, tasks and timers: what everything in pmixd but libpmix and the job service's connection runs on. */
@NullMarked
package dev.fabricoperator.pmix.pmixd.loop;

import org.jspecify.annotations.NullMarked;
