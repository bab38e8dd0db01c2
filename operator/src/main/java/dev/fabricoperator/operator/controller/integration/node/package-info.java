/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Labels on Nodes that say where in a fabric they are, for every scheduler that reads labels. */
@NullMarked
package dev.fabricoperator.operator.controller.integration.node;

import org.jspecify.annotations.NullMarked;
