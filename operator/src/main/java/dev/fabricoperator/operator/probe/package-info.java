/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** A program beside the operator's, in its image: asks whether an installation answers. */
@NullMarked
package dev.fabricoperator.operator.probe;

import org.jspecify.annotations.NullMarked;
