/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Calls to C through the foreign function interface, made for a quick start: one shape of call down, one shape of call up,
 * structs written through byte buffers, because every further shape costs more than any archive of classes saves.
 */
@NullMarked
package dev.fabricoperator.pmix.foreign;

import org.jspecify.annotations.NullMarked;
