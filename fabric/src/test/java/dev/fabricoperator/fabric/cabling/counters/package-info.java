/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
@NullMarked
package dev.fabricoperator.fabric.cabling.counters;

import org.jspecify.annotations.NullMarked;
