/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What somebody with bad intentions sends to the ports of the real programs. */
@NullMarked
package dev.fabricoperator.e2e.hostile;

import org.jspecify.annotations.NullMarked;
