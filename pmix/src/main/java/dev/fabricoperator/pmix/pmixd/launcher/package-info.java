/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The launcher in the application's container: what it tells, and what it is told. */
@NullMarked
package dev.fabricoperator.pmix.pmixd.launcher;

import org.jspecify.annotations.NullMarked;
