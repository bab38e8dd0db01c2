/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Questions about fabrics, and what answers them from files or objects. */
@NullMarked
package dev.fabricoperator.cli.answer;

import org.jspecify.annotations.NullMarked;
