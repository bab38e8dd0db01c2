/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What the command line takes, from files and in a cluster. */
@NullMarked
package dev.fabricoperator.e2e.bench.cli;

import org.jspecify.annotations.NullMarked;
