/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Which formats of topology sources there are; those that need a library have their readers in the packages below. */
@NullMarked
package dev.fabricoperator.formats;

import org.jspecify.annotations.NullMarked;
