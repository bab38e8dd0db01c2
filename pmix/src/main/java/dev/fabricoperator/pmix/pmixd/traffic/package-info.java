/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What this pod and those below it have sent to others, by the kernel's counters. */
@NullMarked
package dev.fabricoperator.pmix.pmixd.traffic;

import org.jspecify.annotations.NullMarked;
