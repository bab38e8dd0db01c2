/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What is written for Slurm, given to Slurm. */
@NullMarked
package dev.fabricoperator.e2e.slurm;

import org.jspecify.annotations.NullMarked;
