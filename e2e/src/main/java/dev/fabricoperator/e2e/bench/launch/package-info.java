/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** From {@code kubectl apply} to running ranks: direct launch beside a bare Job and beside the MPI Operator, in one run. */
@NullMarked
package dev.fabricoperator.e2e.bench.launch;

import org.jspecify.annotations.NullMarked;
