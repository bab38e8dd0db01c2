/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What HyperNodes cost Volcano, and what gangs gain by them. */
@NullMarked
package dev.fabricoperator.e2e.bench.volcano;

import org.jspecify.annotations.NullMarked;
