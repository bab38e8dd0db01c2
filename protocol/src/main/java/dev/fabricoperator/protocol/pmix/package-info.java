/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The PMIx standard's terms for what the domain knows. */
@NullMarked
package dev.fabricoperator.protocol.pmix;

import org.jspecify.annotations.NullMarked;
