/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The chart against the manifests that it is made of, and on an API server. */
@NullMarked
package dev.fabricoperator.e2e.install;

import org.jspecify.annotations.NullMarked;
