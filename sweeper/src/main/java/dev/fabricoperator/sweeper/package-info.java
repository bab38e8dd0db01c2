/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Sweeps a live InfiniBand subnet and publishes what it finds; the only program that is allowed umad. */
@NullMarked
package dev.fabricoperator.sweeper;

import org.jspecify.annotations.NullMarked;
