/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** Objects in files. The only package beside those of clusters that loads a data binding. */
@NullMarked
package dev.fabricoperator.cli.objects;

import org.jspecify.annotations.NullMarked;
