/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.fabric.classify;

/** What one kind of fabric has to say of a wiring: what it is as that kind, or why it is none. */
sealed interface Recognition permits Classification, TreeShape, Grid, NoMatch {}
