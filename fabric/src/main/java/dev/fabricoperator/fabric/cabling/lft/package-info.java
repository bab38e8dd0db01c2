/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The forwarding tables of InfiniBand switches, as OpenSM and infiniband-diags print them. */
@NullMarked
package dev.fabricoperator.fabric.cabling.lft;

import org.jspecify.annotations.NullMarked;
