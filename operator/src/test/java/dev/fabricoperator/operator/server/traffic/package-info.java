/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
@NullMarked
package dev.fabricoperator.operator.server.traffic;

import org.jspecify.annotations.NullMarked;
