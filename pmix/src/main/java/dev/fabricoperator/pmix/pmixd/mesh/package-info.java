/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Connections between the pmixds of one attempt of a job: authenticated, encrypted, in a star or a tree. */
@NullMarked
package dev.fabricoperator.pmix.pmixd.mesh;

import org.jspecify.annotations.NullMarked;
