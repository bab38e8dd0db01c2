/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Tests of reading what UFM inventory. */
@NullMarked
package dev.fabricoperator.formats.ufm;

import org.jspecify.annotations.NullMarked;
