/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What people read agrees with what programs do. */
@NullMarked
package dev.fabricoperator.e2e.docs;

import org.jspecify.annotations.NullMarked;
