/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** HyperNodes for Volcano. */
@NullMarked
package dev.fabricoperator.operator.controller.integration.volcano;

import org.jspecify.annotations.NullMarked;
