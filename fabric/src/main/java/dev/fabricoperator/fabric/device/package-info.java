/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** One port of one fabric device on one host, as values. Absent means unknown, never "not there". */
@NullMarked
package dev.fabricoperator.fabric.device;

import org.jspecify.annotations.NullMarked;
