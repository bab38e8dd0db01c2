/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What other systems are told of the fabrics, as objects of their own kinds. Each system is a package of its own. */
@NullMarked
package dev.fabricoperator.operator.controller.integration;

import org.jspecify.annotations.NullMarked;
