/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The PMIx server of a pod beside a C program that does the least that is possible. */
@NullMarked
package dev.fabricoperator.e2e.bench.pmixd;

import org.jspecify.annotations.NullMarked;
