/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Where the parts of a job stand to one another: what a placement costs, and in which order to go through it. */
@NullMarked
package dev.fabricoperator.fabric.job;

import org.jspecify.annotations.NullMarked;
