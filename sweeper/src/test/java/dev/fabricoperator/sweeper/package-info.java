/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
@NullMarked
package dev.fabricoperator.sweeper;

import org.jspecify.annotations.NullMarked;
