/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Counters of switches' ports in the text that Prometheus scrapes. */
@NullMarked
package dev.fabricoperator.formats.counters;

import org.jspecify.annotations.NullMarked;
