/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** LLDP daemons in network namespaces, and who reads them. */
@NullMarked
package dev.fabricoperator.e2e.lldp;

import org.jspecify.annotations.NullMarked;
