/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Which way packets really take: by the forwarding tables of switches, not by what would be cheapest. */
@NullMarked
package dev.fabricoperator.fabric.route;

import org.jspecify.annotations.NullMarked;
