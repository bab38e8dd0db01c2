/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The client against an appliance of tape. */
@NullMarked
package dev.fabricoperator.operator.controller.source.ufm;

import org.jspecify.annotations.NullMarked;
