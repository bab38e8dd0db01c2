/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Between custom resources and the domain. No other package knows both. */
@NullMarked
package dev.fabricoperator.view.mapping;

import org.jspecify.annotations.NullMarked;
