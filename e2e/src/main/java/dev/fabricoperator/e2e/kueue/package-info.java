/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Kueue as its program is, on nodes that are only written down. */
@NullMarked
package dev.fabricoperator.e2e.kueue;

import org.jspecify.annotations.NullMarked;
