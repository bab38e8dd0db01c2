/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** What is in the container images that are shipped. */
@NullMarked
package dev.fabricoperator.e2e.image;

import org.jspecify.annotations.NullMarked;
