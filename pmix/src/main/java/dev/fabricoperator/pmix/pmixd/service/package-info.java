/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The job service: HTTPS by hand, since the JDK's client costs more to start than all the rest. */
@NullMarked
package dev.fabricoperator.pmix.pmixd.service;

import org.jspecify.annotations.NullMarked;
