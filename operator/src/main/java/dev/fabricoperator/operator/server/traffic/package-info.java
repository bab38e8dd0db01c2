/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What jobs have sent: told by their pods, kept in memory, asked by people. */
@NullMarked
package dev.fabricoperator.operator.server.traffic;

import org.jspecify.annotations.NullMarked;
