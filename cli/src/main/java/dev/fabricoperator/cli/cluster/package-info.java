/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The only package that reads a cluster; nothing else may load its classes, so that files are answered fast. */
@NullMarked
package dev.fabricoperator.cli.cluster;

import org.jspecify.annotations.NullMarked;
