/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What the counters of a port say over time: whether its link is about to fail, how much it carries, and of whom. */
@NullMarked
package dev.fabricoperator.fabric.traffic;

import org.jspecify.annotations.NullMarked;
