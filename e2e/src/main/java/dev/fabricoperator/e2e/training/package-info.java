/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Runs whose processes write what makes later ones start faster. */
@NullMarked
package dev.fabricoperator.e2e.training;

import org.jspecify.annotations.NullMarked;
