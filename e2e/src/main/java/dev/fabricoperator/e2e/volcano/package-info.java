/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Volcano as its programs are, on real nodes or on ones that are only written down. */
@NullMarked
package dev.fabricoperator.e2e.volcano;

import org.jspecify.annotations.NullMarked;
