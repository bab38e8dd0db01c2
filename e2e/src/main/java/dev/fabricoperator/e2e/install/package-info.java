/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** How people install the operator: the chart. */
@NullMarked
package dev.fabricoperator.e2e.install;

import org.jspecify.annotations.NullMarked;
