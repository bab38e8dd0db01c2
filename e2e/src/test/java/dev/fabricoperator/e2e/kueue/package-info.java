/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
@NullMarked
package dev.fabricoperator.e2e.kueue;

import org.jspecify.annotations.NullMarked;
