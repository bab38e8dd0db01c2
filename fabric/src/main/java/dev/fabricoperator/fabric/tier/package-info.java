/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** A fabric as one tree of hosts, for schedulers that know no other shape. */
@NullMarked
package dev.fabricoperator.fabric.tier;

import org.jspecify.annotations.NullMarked;
