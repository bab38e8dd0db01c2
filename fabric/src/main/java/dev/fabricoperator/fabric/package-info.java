/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The domain of fabric-operator, in the terms of the PMIx standard. Nothing below this package knows Kubernetes or
 * libpmix, and nothing reads a file that it was not handed.
 */
@NullMarked
package dev.fabricoperator.fabric;

import org.jspecify.annotations.NullMarked;
