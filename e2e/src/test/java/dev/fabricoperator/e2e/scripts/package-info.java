/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The shell scripts behind {@code make}. */
@NullMarked
package dev.fabricoperator.e2e.scripts;

import org.jspecify.annotations.NullMarked;
