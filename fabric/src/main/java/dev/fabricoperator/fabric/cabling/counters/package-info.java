/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What the ports of switches have counted, as programs of subnet managers print it. */
@NullMarked
package dev.fabricoperator.fabric.cabling.counters;

import org.jspecify.annotations.NullMarked;
