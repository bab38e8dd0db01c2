/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What an LLDP daemon sees of its neighbours, whatever the form of its answer. */
@NullMarked
package dev.fabricoperator.fabric.cabling.lldp;

import org.jspecify.annotations.NullMarked;
