/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The PMIx server process of one pod: it ends with the launcher that it serves. Plain Java without a framework, one event loop.
 */
@NullMarked
package dev.fabricoperator.pmix.pmixd;

import org.jspecify.annotations.NullMarked;
