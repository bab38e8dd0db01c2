/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Jobs that end while no server has them. */
@NullMarked
package dev.fabricoperator.operator.controller.job;

import org.jspecify.annotations.NullMarked;
