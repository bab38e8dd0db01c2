/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** The files by which Slurm knows a fabric, in a ConfigMap, and the place of a Node in them, in Slinky's annotation. */
@NullMarked
package dev.fabricoperator.operator.controller.integration.slurm;

import org.jspecify.annotations.NullMarked;
