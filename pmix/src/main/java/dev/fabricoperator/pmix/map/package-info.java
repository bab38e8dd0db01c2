/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/** PMIX_NODE_MAP and PMIX_PROC_MAP: written in the one form that every libpmix reads. */
@NullMarked
package dev.fabricoperator.pmix.map;

import org.jspecify.annotations.NullMarked;
