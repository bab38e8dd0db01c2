/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Calls to C by JNI, made for a quick start (ADR 8): one shape of call down, one shape of call up, structs written through byte
 * buffers.
 */
@NullMarked
package dev.fabricoperator.pmix.foreign;

import org.jspecify.annotations.NullMarked;
