/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** libpmix's server, and a filter of handshakes before its port. */
@NullMarked
package dev.fabricoperator.pmix.libpmix;

import org.jspecify.annotations.NullMarked;
