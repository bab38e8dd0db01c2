/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Levels of service of a fabric, and which of them what libraries send is to have. */
@NullMarked
package dev.fabricoperator.fabric.level;

import org.jspecify.annotations.NullMarked;
