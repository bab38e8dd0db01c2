/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Runs the launcher as a process. */
@NullMarked
package dev.fabricoperator.launcher;

import org.jspecify.annotations.NullMarked;
