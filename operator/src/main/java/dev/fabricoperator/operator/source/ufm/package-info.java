/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Asking a UFM appliance over HTTPS; {@code UfmReader} understands the answer. */
@NullMarked
package dev.fabricoperator.operator.source.ufm;

import org.jspecify.annotations.NullMarked;
