/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * A PMIx server as the process that hosts it sees it: what it is told (a job, its clients) and what it asks. Knows no
 * native code; {@code dev.fabricoperator.pmix.libpmix} is the implementation.
 */
@NullMarked
package dev.fabricoperator.pmix.server;

import org.jspecify.annotations.NullMarked;
