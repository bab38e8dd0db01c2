/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Topologies for Kueue. */
@NullMarked
package dev.fabricoperator.operator.controller.integration.kueue;

import org.jspecify.annotations.NullMarked;
