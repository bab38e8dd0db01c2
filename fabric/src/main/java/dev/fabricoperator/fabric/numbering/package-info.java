/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Places that were given before, so that what did not change keeps its own. Compiles without any other package. */
@org.jspecify.annotations.NullMarked
package dev.fabricoperator.fabric.numbering;
